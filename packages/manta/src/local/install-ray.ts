import { mkdir, rm, statfs, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { messageOf } from '@manta/base';
import { explainInstall, NEEDED_BYTES, RayMissingError, whyNoRoom } from './install-problem.ts';
import { bytesIn, type InstallProgress, packagesIn, PipReader } from './pip-progress.ts';
import { type Environment, runProgram } from './run-program.ts';

/** What is installed where. */
export interface Installation {
  readonly folder: string;
  /** As pip takes it: `ray[default,serve]==2.53.0`. */
  readonly requirement: string;
  /** What to do where there is no such version. */
  readonly advice: string;
  readonly env: Environment;
  readonly signal: AbortSignal | undefined;
  readonly onProgress: ((progress: InstallProgress) => void) | undefined;
  /** How much room there is; asked of the disk unless told. */
  readonly freeBytes?: ((folder: string) => Promise<number>) | undefined;
}

const LOOK_MS = 250;

/** Written last: a folder without it is what a killed installation left behind. */
const MARK = 'manta-complete';

/** Whether an environment has been installed to its end. */
export function isComplete(folder: string): boolean {
  return existsSync(join(folder, MARK));
}

/** Makes a virtual environment anew and installs Ray into it. Whoever calls it must be the only one at this folder. */
export async function installRay(installation: Installation): Promise<void> {
  const { folder, freeBytes = freeBytesOf } = installation;
  const temporary = `${folder}.tmp`;
  try {
    await rm(folder, { recursive: true, force: true });
    await rm(temporary, { recursive: true, force: true });
    await mkdir(temporary, { recursive: true });
    const free = await freeBytes(dirname(folder));
    if (free < NEEDED_BYTES) throw new RayMissingError(whyNoRoom(folder, free));
    await fill(installation, temporary);
    await writeFile(join(folder, MARK), `${installation.requirement}\n`);
  } catch (error) {
    await rm(folder, { recursive: true, force: true }).catch(() => undefined);
    if (error instanceof RayMissingError || installation.signal?.aborted === true) throw error;
    throw new RayMissingError(
      `Ray cannot be installed into ${folder} (${messageOf(error)}). Set MANTA_CACHE to a folder that can be written to.`,
      { cause: error },
    );
  } finally {
    await rm(temporary, { recursive: true, force: true }).catch(() => undefined);
  }
}

async function fill(installation: Installation, temporary: string): Promise<void> {
  const { folder, requirement, env, signal, onProgress } = installation;
  const python = join(folder, 'bin', 'python');
  const pip = ['install', '--progress-bar=off', '--disable-pip-version-check', '--retries=2', requirement];
  const reader = new PipReader();
  // What pip fetches lies on the disk that Ray goes to: others may be small, and this way it can be seen growing.
  const options = { env: { ...env, TMPDIR: temporary }, signal, onOutput: (text: string) => reader.read(text) };
  const made = await runProgram('python3', ['-m', 'venv', folder], options);
  // Some systems ship a Python that makes environments only without pip; then the system's own pip fills them.
  const steps =
    made.code === 0
      ? [[python, ['-m', 'pip', ...pip]] as const]
      : [
          ['python3', ['-m', 'venv', '--clear', '--without-pip', folder]] as const,
          ['python3', ['-m', 'pip', '--python', python, ...pip]] as const,
        ];
  const watch = await watchProgress(folder, temporary, reader, onProgress);
  try {
    for (const [command, args] of steps) {
      const { code, stdout, stderr } = await runProgram(command, args, options);
      if (code === 0) continue;
      signal?.throwIfAborted();
      throw new RayMissingError(explainInstall(installation, stderr || stdout));
    }
  } finally {
    await watch.stop();
  }
}

interface Watch {
  /** Tells how far it has come in the end, too. */
  stop(): Promise<void>;
}

async function watchProgress(
  folder: string,
  temporary: string,
  reader: PipReader,
  onProgress: Installation['onProgress'],
): Promise<Watch> {
  if (onProgress === undefined) return { stop: () => Promise.resolve() };
  const before = await packagesIn(folder);
  let bytes = 0;
  let looking: Promise<void> | undefined;
  const look = async () => {
    const { packages, toUnpack } = reader;
    if (toUnpack === undefined) {
      bytes = Math.max(bytes, await bytesIn(temporary));
      onProgress({ step: 'download', bytes, packages });
    } else onProgress({ step: 'unpack', done: (await packagesIn(folder)) - before, of: toUnpack });
  };
  const timer = setInterval(() => {
    looking ??= look().finally(() => (looking = undefined));
  }, LOOK_MS);
  return {
    async stop() {
      clearInterval(timer);
      await looking;
      await look();
    },
  };
}

async function freeBytesOf(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}
