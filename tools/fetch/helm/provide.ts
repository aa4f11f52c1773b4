import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { AssetsError, cacheRoot, type Environment } from '../kube/cache.ts';
import { findGo } from '../kube/go-toolchain.ts';
import { withLock } from '../../../packages/manta/src/local/lock.ts';
import { Progress, type ProgressSink } from '../kube/progress.ts';
import { lastLines, run } from '../kube/run.ts';

const HELM_VERSION = 'v3.19.0';

export interface ProvideHelmOptions {
  readonly env?: Environment;
  readonly sink?: ProgressSink;
}

/** The real helm: `MANTA_HELM` where it is set, else from the cache, else built from the Go module proxy (about three minutes on two cores, once). */
export async function provideHelm({
  env = process.env,
  sink = process.stderr,
}: ProvideHelmOptions = {}): Promise<string> {
  const given = env['MANTA_HELM'];
  if (given) return given;
  const cache = join(cacheRoot(env, homedir()), 'helm');
  const folder = join(cache, HELM_VERSION);
  const helm = join(folder, 'helm');
  if (existsSync(helm)) return helm;
  const progress = new Progress(sink);
  await mkdir(folder, { recursive: true });
  await withLock(
    join(cache, 'build.lock'),
    () => progress.say('another process is building helm: waiting for it…'),
    async () => {
      if (existsSync(helm)) return;
      progress.say(`building helm ${HELM_VERSION} into ${folder} (once; about three minutes on two cores)`);
      const go = await findGo(cache, env, progress);
      const goEnv = { ...go.env, GOBIN: folder, CGO_ENABLED: '0', GOWORK: 'off' };
      const outcome = await run(go.command, ['install', `helm.sh/helm/v3/cmd/helm@${HELM_VERSION}`], { env: goEnv });
      if (outcome.code !== 0)
        throw new AssetsError(
          `helm could not be built:\n${lastLines(outcome.stderr, 10)}\nSet MANTA_HELM to a helm of your own.`,
        );
    },
  );
  return helm;
}
