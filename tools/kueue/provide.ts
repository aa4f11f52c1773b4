import { homedir } from 'node:os';
import { join } from 'node:path';
import { AssetsError, cacheRoot, type Environment } from '../kube/cache.ts';
import { findGo } from '../kube/go-toolchain.ts';
import { Progress, type ProgressSink } from '../kube/progress.ts';
import { lastLines, run } from '../kube/run.ts';

const KUEUE = 'sigs.k8s.io/kueue@v0.14.0';

/** The folder with Kueue's published CustomResourceDefinitions: from `MANTA_KUEUE_CRDS`, else from the Go module proxy (seconds, once). */
export async function provideKueueCrds(
  env: Environment = process.env,
  sink: ProgressSink = process.stderr,
): Promise<string> {
  if (env['MANTA_KUEUE_CRDS']) return env['MANTA_KUEUE_CRDS'];
  const cache = join(cacheRoot(env, homedir()), 'kueue');
  const go = await findGo(cache, env, new Progress(sink));
  const outcome = await run(go.command, ['mod', 'download', '-json', KUEUE], { env: { ...go.env, GOWORK: 'off' } });
  if (outcome.code !== 0)
    throw new AssetsError(
      `Kueue's definitions could not be fetched:\n${lastLines(outcome.stdout + outcome.stderr, 5)}\nSet MANTA_KUEUE_CRDS to a folder with them.`,
    );
  const { Dir: folder } = JSON.parse(outcome.stdout);
  return join(folder, 'config/components/crd/bases');
}
