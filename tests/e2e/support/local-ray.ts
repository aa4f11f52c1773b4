import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
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
import { GuardedProcess } from '../../support/guarded-process.ts';

const MANTA = resolve(import.meta.dirname, '../../../bin/manta');
/** Ray may have to be installed first. */
const START_MS = 600_000;
const STOP_MS = 60_000;

/** `manta up` with real Ray, as a process of its own in a folder of its own. */
export interface LocalRay {
  readonly folder: string;
  readonly client: KubeClient;
  readonly transport: Transport;
  readonly connection: LoadedConnection;
  readonly kubeconfig: string;
  /** The port on which Gateways are served. */
  readonly routerPort: number;
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

/** Starts an engine and waits until it serves. It ends with this process, however that ends. */
export async function startLocalRay(options: LocalRayOptions = {}): Promise<LocalRay> {
  const { folder = newFolder(), args = [], through = [] } = options;
  const logFile = join(folder, 'log');
  rmSync(logFile, { force: true });
  const set = [`HOME=${folder}`, `TMPDIR=${folder}`, `MANTA_CACHE=${cacheRoot(process.env)}`];
  const up = [MANTA, 'up', '--port=0', '--no-console', `--data-dir=${join(folder, 'data')}`, ...args];
  const words = ['-u', 'KUBECONFIG', '-u', 'KUBERNETES_SERVICE_HOST', ...set, ...through, ...up];
  const engine = new GuardedProcess({ command: '/usr/bin/env', args: words, logFile, folder });
  const log = () => readFileSync(logFile, 'utf8');
  const path = () => /^kubeconfig: (.+)$/m.exec(log())?.[1];
  const router = () => /^router: .+:(\d+)$/m.exec(log())?.[1];
  await engine.until('serving', () => Promise.resolve(path() !== undefined && router() !== undefined), START_MS);
  const kubeconfig = path() ?? '';
  const connection = await loadConnection({ kubeconfig });
  const transport = createTransport({ connection, clock: systemClock, userAgent: 'manta-e2e' });
  const end = async (signal: 'SIGTERM' | 'SIGKILL') => {
    await transport.close();
    await engine.stop(signal, STOP_MS);
  };
  return {
    folder,
    client: createKubeClient({ transport, clock: systemClock }),
    transport,
    connection,
    kubeconfig,
    routerPort: Number(router()),
    pid: engine.pid,
    log,
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
  };
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
  let left = processesOf(ray.folder);
  // The one that watched over it takes a moment to see that it is not needed any more.
  for (let attempt = 0; left.length > 0 && attempt < 50; attempt += 1) {
    await sleep(100);
    left = processesOf(ray.folder);
  }
  rmSync(ray.folder, { recursive: true, force: true });
  if (left.length > 0) throw new Error(`still there after the engine's end:\n${left.join('\n')}`);
}
