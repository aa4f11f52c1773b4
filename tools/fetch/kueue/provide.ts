import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { withLock } from '../../../packages/manta/src/local/lock.ts';
import { AssetsError, cacheRoot, type Environment } from '../kube/cache.ts';
import { provideDefinitions } from '../kube/go-module.ts';
import { findGo } from '../kube/go-toolchain.ts';
import { Progress, type ProgressSink } from '../kube/progress.ts';
import { PUBLISHED } from '../kube/published.ts';
import { lastLines, run } from '../kube/run.ts';

/** Kueue's own program, and its sources with the manifests that it is installed with. */
export interface KueueAssets {
  readonly program: string;
  readonly sources: string;
}

/** The real Kueue: `MANTA_KUEUE` where it is set, else from the cache, else built from the Go module proxy (about four minutes on two cores, once). */
export async function provideKueue(
  env: Environment = process.env,
  sink: ProgressSink = process.stderr,
): Promise<KueueAssets> {
  const sources = await provideDefinitions(
    { ...PUBLISHED.kueue, folder: '.', variable: 'MANTA_KUEUE_SOURCES' },
    env,
    sink,
  );
  const given = env['MANTA_KUEUE'];
  if (given) return { program: given, sources };
  const cache = join(cacheRoot(env, homedir()), 'kube');
  const program = join(cache, PUBLISHED.kueue.module.replaceAll(/[/@]/g, '-'));
  if (existsSync(program)) return { program, sources };
  const progress = new Progress(sink);
  const onWait = () => progress.say('another process is building: waiting for it…');
  await withLock(join(cache, 'build.lock'), onWait, async () => {
    if (existsSync(program)) return;
    const go = await findGo(cache, env, progress);
    const folder = await mkdtemp(join(cache, 'work-kueue-'));
    try {
      await writeFile(join(folder, 'go.mod'), moduleFor(readFileSync(join(sources, 'go.mod'), 'utf8')));
      const args = ['build', '-mod=mod', '-o', 'kueue', 'sigs.k8s.io/kueue/cmd/kueue'];
      const goEnv = { ...go.env, CGO_ENABLED: '0', GOWORK: 'off' };
      const outcome = await progress.during('building Kueue (once)', () =>
        run(go.command, args, { cwd: folder, env: goEnv }),
      );
      if (outcome.code !== 0)
        throw new AssetsError(
          `Kueue could not be built:\n${lastLines(outcome.stderr, 10)}\nSet MANTA_KUEUE to one of your own.`,
        );
      await rename(join(folder, 'kueue'), program);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
  return { program, sources };
}

/** A module that needs Kueue and, in the same versions, all that Kueue needs. */
function moduleFor(itsModule: string): string {
  const needs = [...itsModule.matchAll(/^\s+(\S+ v\S+)(?: \/\/ indirect)?$/gm)].map(([, need]) => need);
  const go = /^go \S+$/m.exec(itsModule)?.[0] ?? '';
  const all = [PUBLISHED.kueue.module.replace('@', ' '), ...needs];
  return `module manta.test/kueue\n\n${go}\n\nrequire (\n${all.map((need) => `\t${need}\n`).join('')})\n`;
}
