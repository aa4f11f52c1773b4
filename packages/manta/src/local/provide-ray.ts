import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { access, constants } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeFolder, messageOf } from '@manta/base';
import { cacheRoot } from './cache-root.ts';
import { RayMissingError, SIZES } from './install-problem.ts';
import { installRay, isComplete } from './install-ray.ts';
import { withLock } from './lock.ts';
import type { InstallProgress } from './pip-progress.ts';
import { type Environment, runProgram } from './run-program.ts';

export { cacheRoot, RayMissingError };

/** A Python environment with Ray in it. */
export interface RayHome {
  /** Its folder of programs, to be first in PATH. */
  readonly bin: string;
}

export interface ProvideRayOptions {
  /** This process's unless told. */
  readonly env?: Environment;
  /** Exactly this version, whatever the environment asks for. */
  readonly version?: string;
  /** Told in one line each time something takes long. */
  readonly say?: (line: string) => void;
  /** Ends an installation; the next one begins anew. */
  readonly signal?: AbortSignal;
  /** Told how far an installation is, a few times a second. */
  readonly onProgress?: (progress: InstallProgress) => void;
  /** How much room there is in a folder; asked of the disk unless told. */
  readonly freeBytes?: (folder: string) => Promise<number>;
}

const OLDEST_PYTHON = [3, 10] as const;
const READ_VERSION = 'import sys; print(sys.implementation.name, sys.version_info[0], sys.version_info[1])';

/**
 * Provides real Ray: the version in `MANTA_RAY_VERSION`, else any. One that is in the path is used; else the newest that this machine's
 * Python can have is installed from PyPI, once, and kept in the user's cache. `MANTA_RAY_VENV` names an environment of one's own.
 */
export async function provideRay(options: ProvideRayOptions = {}): Promise<RayHome> {
  const { env = process.env, say = () => undefined, signal } = options;
  const given = env['MANTA_RAY_VENV'];
  if (given && options.version === undefined) return existing(given);
  const version = options.version ?? env['MANTA_RAY_VERSION'];
  const requirement = `ray[default,serve]${version ? `==${version}` : ''}`;
  const folder = join(cacheRoot(env), 'ray', await folderName(requirement, env));
  if (isComplete(folder)) return { bin: join(folder, 'bin') };
  const installed = await installedRay(version, env);
  if (installed !== undefined) {
    say(`using the Ray that is installed in ${installed}`);
    return { bin: installed };
  }
  await makeCache(dirname(folder));
  return await withLock(
    `${folder}.lock`,
    () => say('waiting for another process that installs Ray'),
    async () => {
      if (!isComplete(folder)) {
        say(`installing Ray${version ? ` ${version}` : ''} from PyPI, once: ${SIZES}`);
        const { onProgress, freeBytes } = options;
        const advice =
          options.version === undefined
            ? 'Set MANTA_RAY_VERSION to one of them, or unset it.'
            : 'Name one of them in the tag of the image.';
        await installRay({ folder, requirement, advice, env, signal, onProgress, freeBytes });
      }
      return { bin: join(folder, 'bin') };
    },
    signal,
  );
}

async function makeCache(folder: string): Promise<void> {
  try {
    makeFolder(folder);
    await access(folder, constants.W_OK);
  } catch (error) {
    throw new RayMissingError(
      `Ray cannot be kept in ${folder} (${messageOf(error)}). Set MANTA_CACHE to a folder that can be written to.`,
      { cause: error },
    );
  }
}

function existing(folder: string): RayHome {
  if (existsSync(join(folder, 'bin', 'ray'))) return { bin: join(folder, 'bin') };
  throw new RayMissingError(
    `MANTA_RAY_VENV is set to ${folder}, which has no bin/ray. Install ray[default,serve] there, or unset the variable and it is done for you.`,
  );
}

/** All that a cluster needs of Ray; its Python and its version on the last two lines. */
const READ_RAY =
  'import sys, ray, ray.serve, ray.job_submission, ray.dashboard.optional_deps; print(sys.executable); print(ray.__version__)';

/**
 * The folder of the first `ray` in the path, if it is complete and of the wanted version, or of any version if none is wanted. If that folder
 * has only shims, as pyenv, asdf and mise make them, it is the folder of the Python that they lead to: pods do not see their settings.
 */
async function installedRay(version: string | undefined, env: Environment): Promise<string | undefined> {
  const bin = (env['PATH'] ?? '').split(':').find((folder) => folder !== '' && existsSync(join(folder, 'ray')));
  if (bin === undefined) return undefined;
  const python = [join(bin, 'python'), join(bin, 'python3')].find((path) => existsSync(path));
  if (python === undefined) return undefined;
  const { code, stdout } = await runProgram(python, ['-c', READ_RAY], { env });
  const [executable = '', found = ''] = stdout.trim().split('\n').slice(-2);
  if (code !== 0 || (version !== undefined && version !== '' && found !== version)) return undefined;
  return existsSync(join(dirname(executable), 'ray')) ? dirname(executable) : bin;
}

/** The version of the Ray in an environment; undefined where it cannot be told. */
export async function versionOf({ bin }: RayHome, env: Environment): Promise<string | undefined> {
  const read = 'import importlib.metadata; print(importlib.metadata.version("ray"))';
  const { code, stdout } = await runProgram(join(bin, 'python'), ['-c', read], { env });
  return code === 0 ? stdout.trim() : undefined;
}

/** Another Python or another requirement is another folder: virtual environments can't be shared or moved. */
async function folderName(requirement: string, env: Environment): Promise<string> {
  const { code, stdout } = await runProgram('python3', ['-c', READ_VERSION], { env });
  const [name = '', major = '', minor = ''] = stdout.trim().split(' ');
  const isNew =
    Number(major) > OLDEST_PYTHON[0] || (Number(major) === OLDEST_PYTHON[0] && Number(minor) >= OLDEST_PYTHON[1]);
  if (code !== 0 || !isNew) {
    const found = code === 0 ? `python3 is ${major}.${minor}` : 'there is no python3';
    throw new RayMissingError(
      `Ray needs Python ${OLDEST_PYTHON.join('.')} or newer, and ${found}. Install it, or set MANTA_RAY_VENV.`,
    );
  }
  return `${name}-${major}.${minor}-${createHash('sha256').update(requirement).digest('hex').slice(0, 8)}`;
}
