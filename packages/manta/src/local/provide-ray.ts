import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheRoot } from './cache-root.ts';
import { explainInstall } from './install-problem.ts';
import { withLock } from './lock.ts';

export { cacheRoot };

/** A Python environment with Ray in it. */
export interface RayHome {
  /** Its folder of programs, to be first in PATH. */
  readonly bin: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

export interface ProvideRayOptions {
  /** This process's unless told. */
  readonly env?: Environment;
  /** Told in one line each time something takes long. */
  readonly say?: (line: string) => void;
  /** Ends an installation; the next one begins anew. */
  readonly signal?: AbortSignal;
}

/** Why Ray can't be had on this machine, and what to do. */
export class RayMissingError extends Error {
  override readonly name = 'RayMissingError';
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
  if (given) return existing(given);
  const version = env['MANTA_RAY_VERSION'];
  const requirement = `ray[default,serve]${version ? `==${version}` : ''}`;
  const folder = join(cacheRoot(env), 'ray', await folderName(requirement, env));
  if (isComplete(folder)) return { bin: join(folder, 'bin') };
  const installed = await installedRay(version, env);
  if (installed !== undefined) {
    say(`using the Ray that is installed in ${installed}`);
    return { bin: installed };
  }
  await mkdir(join(folder, '..'), { recursive: true });
  return await withLock(
    `${folder}.lock`,
    () => say('waiting for another process that installs Ray'),
    async () => {
      if (!isComplete(folder)) {
        say('installing Ray from PyPI, about 500 MB, once; this takes a minute or more');
        await install({ folder, requirement, env, signal });
      }
      return { bin: join(folder, 'bin') };
    },
  );
}

function existing(folder: string): RayHome {
  if (existsSync(join(folder, 'bin', 'ray'))) return { bin: join(folder, 'bin') };
  throw new RayMissingError(
    `MANTA_RAY_VENV is set to ${folder}, which has no bin/ray. Install ray[default,serve] there, or unset the variable and it is done for you.`,
  );
}

/** All that a cluster needs of Ray, with its version. */
const READ_RAY = 'import ray, ray.serve, ray.job_submission, ray.dashboard.optional_deps; print(ray.__version__)';

/** The folder of the first `ray` in the path, where it is whole and of the wanted version; any version will do where none is wanted. */
async function installedRay(version: string | undefined, env: Environment): Promise<string | undefined> {
  const bin = (env['PATH'] ?? '').split(':').find((folder) => folder !== '' && existsSync(join(folder, 'ray')));
  if (bin === undefined) return undefined;
  const python = [join(bin, 'python'), join(bin, 'python3')].find((path) => existsSync(path));
  if (python === undefined) return undefined;
  const { code, stdout } = await run(python, ['-c', READ_RAY], env);
  const found = stdout.trim().split('\n').at(-1) ?? '';
  return code === 0 && (version === undefined || version === '' || found === version) ? bin : undefined;
}

/** Written last: a folder without it is what a killed installation left behind. */
const MARK = 'manta-complete';
const isComplete = (folder: string) => existsSync(join(folder, MARK));

/** Another Python or another requirement is another folder: virtual environments can't be shared or moved. */
async function folderName(requirement: string, env: Environment): Promise<string> {
  const { code, stdout } = await run('python3', ['-c', READ_VERSION], env);
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

interface Installation {
  readonly folder: string;
  readonly requirement: string;
  readonly env: Environment;
  readonly signal: AbortSignal | undefined;
}

async function install({ folder, requirement, env, signal }: Installation): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  const python = join(folder, 'bin', 'python');
  const pip = ['install', '--quiet', '--disable-pip-version-check', '--retries=2', requirement];
  const made = await run('python3', ['-m', 'venv', folder], env, signal);
  // Some systems ship a Python that makes environments only without pip; then the system's own pip fills them.
  const steps =
    made.code === 0
      ? [[python, ['-m', 'pip', ...pip]] as const]
      : [
          ['python3', ['-m', 'venv', '--clear', '--without-pip', folder]] as const,
          ['python3', ['-m', 'pip', '--python', python, ...pip]] as const,
        ];
  for (const [command, args] of steps) {
    const { code, stdout, stderr } = await run(command, args, env, signal);
    if (code === 0) continue;
    signal?.throwIfAborted();
    throw new RayMissingError(explainInstall(requirement, folder, stderr || stdout));
  }
  await writeFile(join(folder, MARK), `${requirement}\n`);
}

interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function run(command: string, args: readonly string[], env: Environment, signal?: AbortSignal): Promise<Outcome> {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      env: { ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      ...(signal === undefined ? {} : { signal }),
    });
    let [stdout, stderr] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    child.once('error', (error) => resolve({ code: -1, stdout, stderr: error.message }));
    child.once('close', (code) => resolve({ code: code ?? -1, stdout, stderr }));
  });
}
