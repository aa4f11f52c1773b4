import { accessSync, constants, statSync } from 'node:fs';
import { join } from 'node:path';
import { etcdVersion, kubernetesVersion, type Program } from './programs.ts';

/** Variables of the environment; a plain record, so that tests can pass their own. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Where programs are found, or that they have to be built. */
export type Source =
  | { readonly kind: 'given'; readonly folder: string }
  | { readonly kind: 'cached'; readonly folder: string }
  | { readonly kind: 'build'; readonly folder: string; readonly missing: readonly Program[] };

/** A problem that the person at the terminal can solve; its message says how. */
export class AssetsError extends Error {
  override readonly name = 'AssetsError';
}

/** The folder for everything Manta caches: never inside the repository, so that clones share it. */
export function cacheRoot(env: Environment, home: string): string {
  if (env['MANTA_CACHE']) return env['MANTA_CACHE'];
  if (env['XDG_CACHE_HOME']) return join(env['XDG_CACHE_HOME'], 'manta');
  return join(home, '.cache', 'manta');
}

/** The name of the folder that holds one set of programs: versions, platform and how they were built. */
export function cacheKey(platform: string, arch: string, fingerprint: string): string {
  return `kubernetes-${kubernetesVersion}-etcd-${etcdVersion}-${platform}-${arch}-${fingerprint}`;
}

/** Tells whether a folder holds a program that can be run. */
export function hasProgram(folder: string, program: Program): boolean {
  try {
    const path = join(folder, program);
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/**
 * Decides where the wanted programs come from: `KUBEBUILDER_ASSETS` where it is set, else the cache, else a build into the cache.
 * A given folder that lacks a program is an error, never a reason to mix two sources.
 */
export function chooseSource(
  wanted: readonly Program[],
  env: Environment,
  cacheFolder: string,
  has: (folder: string, program: Program) => boolean = hasProgram,
): Source {
  const given = env['KUBEBUILDER_ASSETS'];
  if (given) {
    const missing = wanted.filter((program) => !has(given, program));
    if (missing.length === 0) return { kind: 'given', folder: given };
    throw new AssetsError(
      `KUBEBUILDER_ASSETS is set to ${given}, which has no ${missing.join(', no ')} that can be run. ` +
        'Put what is missing there (archives made for envtest lack kube-controller-manager), or unset the variable and it is built for you.',
    );
  }
  const missing = wanted.filter((program) => !has(cacheFolder, program));
  if (missing.length === 0) return { kind: 'cached', folder: cacheFolder };
  return { kind: 'build', folder: cacheFolder, missing };
}
