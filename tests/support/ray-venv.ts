import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { cacheRoot, type Environment } from '../../tools/kube/cache.ts';
import { withLock } from '../../tools/kube/lock.ts';
import { lastLines, type Outcome, run } from '../../tools/kube/run.ts';

/** A Python environment with Ray in it. */
export interface RayVenv {
  /** Its folder of programs, to be first in PATH. */
  readonly bin: string;
  readonly ray: string;
  readonly python: string;
}

/** What is asked for, and who is told of what takes long. */
export interface RayVenvOptions {
  readonly env?: Environment;
  /** Told in one line each time something takes long. */
  readonly say?: (line: string) => void;
}

/** Why Ray can't be had on this machine, and what to do. */
export class RayMissingError extends Error {
  override readonly name = 'RayMissingError';
}

const oldestPython = [3, 10] as const;
const readPythonVersion = 'import sys; print(sys.implementation.name, sys.version_info[0], sys.version_info[1])';

/**
 * Provides real Ray from PyPI: the newest that this machine's Python can have, or the version in `MANTA_RAY_VERSION`. It is made once and
 * kept in the cache outside of the repository; `MANTA_RAY_VENV` names an environment of your own instead.
 */
export async function provideRay({ env = process.env, say = () => {} }: RayVenvOptions = {}): Promise<RayVenv> {
  const given = env['MANTA_RAY_VENV'];
  if (given) return existing(given);
  const version = env['MANTA_RAY_VERSION'];
  const requirement = `ray[default,serve]${version ? `==${version}` : ''}`;
  const folder = join(cacheRoot(env, homedir()), 'ray', await folderName(requirement, env));
  if (isComplete(folder)) return venvIn(folder);
  await mkdir(join(folder, '..'), { recursive: true });
  const wait = () => say('waiting for another process that installs Ray');
  return await withLock(`${folder}.lock`, wait, async () => {
    if (isComplete(folder)) return venvIn(folder);
    say('installing Ray from PyPI, about 500 MB, once; this takes a minute or more');
    await install(folder, requirement, env);
    return venvIn(folder);
  });
}

function venvIn(folder: string): RayVenv {
  const bin = join(folder, 'bin');
  return { bin, ray: join(bin, 'ray'), python: join(bin, 'python') };
}

function existing(folder: string): RayVenv {
  const venv = venvIn(folder);
  if (existsSync(venv.ray)) return venv;
  throw new RayMissingError(
    `MANTA_RAY_VENV is set to ${folder}, which has no bin/ray. Install ray[default,serve] there, or unset the variable and it is done for you.`,
  );
}

/** Written last: a folder without it is what a killed installation left behind. */
const completeMark = 'manta-complete';
const isComplete = (folder: string) => existsSync(join(folder, completeMark));

/** Another Python or another requirement is another folder: virtual environments can't be shared or moved. */
async function folderName(requirement: string, env: Environment): Promise<string> {
  const outcome = await run('python3', ['-c', readPythonVersion], { env });
  const [name = '', major = '', minor = ''] = outcome.stdout.trim().split(' ');
  const isNew =
    Number(major) > oldestPython[0] || (Number(major) === oldestPython[0] && Number(minor) >= oldestPython[1]);
  if (outcome.code !== 0 || !isNew) {
    const found = outcome.code === 0 ? `python3 is ${major}.${minor}` : 'there is no python3';
    throw new RayMissingError(
      `Ray needs Python ${oldestPython.join('.')} or newer, and ${found}. Install it, or set MANTA_RAY_VENV.`,
    );
  }
  const fingerprint = createHash('sha256').update(requirement).digest('hex').slice(0, 8);
  return `${name}-${major}.${minor}-${fingerprint}`;
}

async function install(folder: string, requirement: string, env: Environment): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  const python = join(folder, 'bin', 'python');
  const pip = ['install', '--quiet', '--disable-pip-version-check', requirement];
  const made = await run('python3', ['-m', 'venv', folder], { env });
  // Some systems ship a Python that makes environments only without pip; then the system's own pip fills them.
  const steps: readonly (() => Promise<Outcome>)[] =
    made.code === 0
      ? [() => run(python, ['-m', 'pip', ...pip], { env })]
      : [
          () => run('python3', ['-m', 'venv', '--clear', '--without-pip', folder], { env }),
          () => run('python3', ['-m', 'pip', '--python', python, ...pip], { env }),
        ];
  for (const step of steps) {
    const outcome = await step();
    if (outcome.code === 0) continue;
    throw new RayMissingError(
      `Ray could not be installed into ${folder}:\n${lastLines(outcome.stderr || outcome.stdout, 5)}\n` +
        'Make a package index reachable (pip config), install python3-venv where it is missing, or set MANTA_RAY_VENV.',
    );
  }
  await writeFile(join(folder, completeMark), `${requirement}\n`);
}
