import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  createKubeClient,
  createTransport,
  type KubeClient,
  loadConnection,
  type LoadedConnection,
  systemClock,
  type Transport,
} from '@manta/kube';
import { cacheRoot } from '../../../packages/manta/src/local/provide-ray.ts';

const MANTA = resolve(import.meta.dirname, '../../../bin/manta');

/** `manta up` with real Ray, as a process of its own in a folder of its own. */
export interface LocalRay {
  readonly folder: string;
  readonly client: KubeClient;
  readonly transport: Transport;
  readonly connection: LoadedConnection;
  readonly kubeconfig: string;
  readonly pid: number;
  /** What the engine and the operator have said. */
  log(): string;
  /** Ends it in order; what it holds stays. */
  stop(): Promise<void>;
  /** Ends it as a crash would. */
  kill(): Promise<void>;
}

export interface LocalRayOptions {
  /** One that an earlier engine left; a new one unless told. */
  readonly folder?: string;
  readonly args?: readonly string[];
  /** A program and its arguments that runs `manta` in its stead: with another user's rights, for one. */
  readonly through?: readonly string[];
}

/** A folder in which an engine lives; every process of it has its name in its environment or arguments. */
export function newFolder(): string {
  return mkdtempSync(join(tmpdir(), 'manta-e2e-'));
}

/** Starts an engine and waits until it serves. */
export async function startLocalRay(options: LocalRayOptions = {}): Promise<LocalRay> {
  const { folder = newFolder(), args = [], through = [] } = options;
  const logFile = join(folder, 'log');
  const words = [...through, MANTA, 'up', '--port=0', `--data-dir=${join(folder, 'data')}`, ...args];
  const output = openSync(logFile, 'a');
  const { KUBECONFIG: _k, KUBERNETES_SERVICE_HOST: _h, ...inherited } = process.env;
  const env = { ...inherited, HOME: folder, TMPDIR: folder, MANTA_CACHE: cacheRoot(process.env) };
  const child = spawn(words[0] ?? '', words.slice(1), { env, stdio: ['ignore', output, output] });
  closeSync(output);
  const endWithUs = () => void child.kill('SIGKILL');
  process.once('exit', endWithUs);
  const ended = new Promise<void>((done) => {
    child.once('close', () => {
      process.off('exit', endWithUs);
      done();
    });
  });
  const log = () => readFileSync(logFile, 'utf8');
  const kubeconfig = await readyKubeconfig(child, log);
  const connection = await loadConnection({ kubeconfig });
  const transport = createTransport({ connection, clock: systemClock, userAgent: 'manta-e2e' });
  const end = async (signal: NodeJS.Signals) => {
    await transport.close();
    child.kill(signal);
    await ended;
  };
  return {
    folder,
    client: createKubeClient({ transport, clock: systemClock }),
    transport,
    connection,
    kubeconfig,
    pid: child.pid ?? 0,
    log,
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
  };
}

async function readyKubeconfig(child: ChildProcess, log: () => string): Promise<string> {
  const before = log().length;
  for (;;) {
    const path = /^kubeconfig: (.+)$/m.exec(log().slice(before))?.[1];
    if (path !== undefined) return path;
    if (child.exitCode !== null || child.signalCode !== null) throw new Error(`manta up ended:\n${log()}`);
    await sleep(100);
  }
}

/** Command lines of processes that have a folder's name in their arguments or environment. */
export function processesOf(folder: string): readonly string[] {
  return readdirSync('/proc').flatMap((pid) => {
    try {
      const [line, environment] = ['cmdline', 'environ'].map((file) => readFileSync(`/proc/${pid}/${file}`, 'utf8'));
      const isOurs = `${line}\0${environment}`.includes(folder);
      return isOurs && Number(pid) !== process.pid ? [`${pid} ${line?.replaceAll('\0', ' ')}`] : [];
    } catch {
      return [];
    }
  });
}

/** Ends an engine for good: everything that it started must be gone, and then its folder goes. */
export async function endLocalRay(ray: LocalRay): Promise<void> {
  await ray.stop();
  const left = processesOf(ray.folder);
  rmSync(ray.folder, { recursive: true, force: true });
  if (left.length > 0) throw new Error(`still there after the engine's end:\n${left.join('\n')}`);
}
