import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { withLock } from '../../../packages/manta/src/local/lock.ts';
import { AssetsError, cacheRoot, type Environment } from '../kube/cache.ts';
import { Progress, type ProgressSink } from '../kube/progress.ts';
import { lastLines, run } from '../kube/run.ts';

/** The programs, ready to run. */
export interface Prometheus {
  readonly prometheus: string;
  readonly promtool: string;
}

/**
 * The real Prometheus: from the folder that `MANTA_PROMETHEUS` names, else from the cache, else from Debian's package, which is only
 * unpacked there, not installed (seconds, once).
 */
export async function providePrometheus(
  env: Environment = process.env,
  sink: ProgressSink = process.stderr,
): Promise<Prometheus> {
  const cache = join(cacheRoot(env, homedir()), 'prometheus');
  const folder = env['MANTA_PROMETHEUS'] || join(cache, 'debian');
  const programs = { prometheus: join(folder, 'prometheus'), promtool: join(folder, 'promtool') };
  if (existsSync(programs.promtool) && existsSync(programs.prometheus)) return programs;
  if (env['MANTA_PROMETHEUS'])
    throw new AssetsError(`MANTA_PROMETHEUS is set to ${folder}, which has no prometheus and promtool.`);
  const progress = new Progress(sink);
  await mkdir(cache, { recursive: true });
  await withLock(
    join(cache, 'fetch.lock'),
    () => progress.say('another process is fetching Prometheus: waiting for it…'),
    async () => {
      if (existsSync(programs.promtool)) return;
      progress.say(`fetching Debian's prometheus into ${folder} (once)`);
      await unpack(cache, folder);
    },
  );
  return programs;
}

async function unpack(cache: string, folder: string): Promise<void> {
  const scratch = await mkdtemp(join(cache, 'new-'));
  try {
    // apt's own user has to be able to write there.
    await chmod(scratch, 0o777);
    await must('apt-get', ['download', 'prometheus'], scratch).catch(async () => {
      await must('apt-get', ['update', '-qq'], scratch);
      await must('apt-get', ['download', 'prometheus'], scratch);
    });
    const archive = (await readdir(scratch)).find((name) => name.endsWith('.deb')) ?? '';
    await must('dpkg-deb', ['-x', archive, 'root'], scratch);
    await rename(join(scratch, 'root/usr/bin'), folder);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function must(command: string, args: readonly string[], cwd: string): Promise<void> {
  const outcome = await run(command, args, { cwd });
  if (outcome.code !== 0)
    throw new AssetsError(
      `Prometheus could not be fetched from Debian (${command} ${args.join(' ')}):\n${lastLines(outcome.stderr, 5)}\n` +
        'Set MANTA_PROMETHEUS to a folder with prometheus and promtool.',
    );
}
