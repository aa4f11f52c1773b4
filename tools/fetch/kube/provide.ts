import { mkdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { buildPrograms } from './build.ts';
import { AssetsError, cacheKey, cacheRoot, chooseSource, type Environment } from './cache.ts';
import { findGo } from './go-toolchain.ts';
import { withLock } from '../../../packages/manta/src/local/lock.ts';
import { Progress, type ProgressSink } from './progress.ts';
import { type Program, requiredPrograms } from './programs.ts';
import { recipeFingerprint } from './recipe.ts';

/** What is wanted, and the world it is provided in; everything has a default. */
export interface ProvideOptions {
  /** Programs beyond the ones that are always there. */
  readonly extra?: readonly Program[];
  readonly env?: Environment;
  /** Where progress is shown. */
  readonly sink?: ProgressSink;
}

const goArch: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' };

/**
 * Provides the Kubernetes programs and gives the folder that holds them: from `KUBEBUILDER_ASSETS`, else from the cache, else built
 * (about six minutes on two cores, once). Throws `AssetsError` with advice where that can't be done.
 */
export async function provideKubeAssets(options: ProvideOptions = {}): Promise<string> {
  const env = options.env ?? process.env;
  const progress = new Progress(options.sink ?? process.stderr);
  const wanted = [...new Set<Program>([...requiredPrograms, ...(options.extra ?? [])])];
  const cache = join(cacheRoot(env, homedir()), 'kube');
  const folder = join(cache, cacheKey(process.platform, goArch[process.arch] ?? process.arch, recipeFingerprint()));
  const source = chooseSource(wanted, env, folder);
  if (source.kind !== 'build') return source.folder;

  if (process.platform === 'win32') {
    throw new AssetsError('kube-apiserver does not run on Windows. Use the Windows Subsystem for Linux.');
  }
  await mkdir(cache, { recursive: true }).catch((error: Error) => {
    throw new AssetsError(
      `The cache folder can't be made: ${error.message}. Set MANTA_CACHE to a folder that can be written.`,
    );
  });
  const onWait = () => progress.say(`another process is building into ${cache}: waiting for it…`);
  await withLock(join(cache, 'build.lock'), onWait, async () => {
    const now = chooseSource(wanted, env, folder);
    if (now.kind !== 'build') return;
    progress.say(
      `building ${now.missing.join(', ')} into ${folder} (once; all of them from nothing take about 6 minutes on two cores)`,
    );
    await buildPrograms(now.missing, folder, () => findGo(cache, env, progress), progress);
  });
  return folder;
}
