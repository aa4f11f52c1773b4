import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm, statfs, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { provideKubeAssets } from '../../tools/fetch/kube/provide.ts';
import { auditPolicy } from './audit-log.ts';
import { createCertificateAuthority } from './certificates.ts';
import { freePort } from './free-port.ts';
import { GuardedProcess } from './guarded-process.ts';
import { createPlaneClient, type PlaneClient, planeAuthorityName } from './plane-client.ts';
import {
  apiServerFlags,
  type ControlPlaneOptions,
  controllerManagerFlags,
  etcdFlags,
  type PlaneFiles,
  type PlanePorts,
  planeFiles,
} from './plane-flags.ts';

export type { ControlPlaneOptions } from './plane-flags.ts';
export type { PlaneAccess, PlaneClient, PlaneUser } from './plane-client.ts';

/** A real Kubernetes control plane on loopback that belongs to this process and dies with it. */
export interface ControlPlane extends PlaneClient {
  /** Process ids of the servers that run now. */
  pids(): readonly number[];
  /** Stops the API server: in order with SIGTERM, which is the default, or on the spot with SIGKILL. */
  stopApiServer(signal?: 'SIGTERM' | 'SIGKILL'): Promise<void>;
  /** Starts the API server again, on the same port and data, and waits until it is ready; does nothing where it runs. */
  startApiServer(): Promise<void>;
  restartApiServer(signal?: 'SIGTERM' | 'SIGKILL'): Promise<void>;
  /** Freezes etcd: requests hang as they do when its disk does. */
  pauseEtcd(): void;
  resumeEtcd(): void;
  /** What the API server wrote last. */
  apiServerLog(lines?: number): string;
  /** Ends everything and removes every file. */
  stop(): Promise<void>;
}

const roomyBytes = 4 * 1024 ** 3;

/** Memory where there is plenty, else the folder for temporary files. */
async function scratchRoot(): Promise<string> {
  const stats = await statfs('/dev/shm').catch(() => undefined);
  return stats !== undefined && stats.bavail * stats.bsize > roomyBytes ? '/dev/shm' : tmpdir();
}

async function writeConfiguration(files: PlaneFiles, options: ControlPlaneOptions) {
  const authority = createCertificateAuthority(planeAuthorityName);
  const names = [
    'localhost',
    'kubernetes',
    'kubernetes.default',
    'kubernetes.default.svc',
    'kubernetes.default.svc.cluster.local',
  ];
  const server = authority.issue({
    commonName: 'kube-apiserver',
    dnsNames: names,
    ips: ['127.0.0.1', '10.0.0.1'],
    usages: ['server'],
  });
  const signing = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const tokens = (options.tokens ?? []).map(
    ({ token, user, groups = [] }) => `${token},${user},${user},"${groups.join(',')}"\n`,
  );
  await Promise.all([
    writeFile(files.caCert, authority.cert),
    writeFile(files.serverCert, server.cert),
    writeFile(files.serverKey, server.key, { mode: 0o600 }),
    writeFile(files.serviceAccountKey, signing.privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 }),
    writeFile(files.serviceAccountPublicKey, signing.publicKey.export({ type: 'spki', format: 'pem' })),
    writeFile(files.tokens, tokens.join(''), { mode: 0o600 }),
    writeFile(files.auditPolicy, auditPolicy),
    writeFile(files.auditLog, ''),
  ]);
  return authority;
}

/** The three servers of one control plane, and how they are started. */
class Servers {
  readonly #options: ControlPlaneOptions;
  readonly #assets: string;
  readonly #folder: string;
  readonly #files: PlaneFiles;
  readonly #ports: PlanePorts;
  etcd: GuardedProcess | undefined;
  apiServer: GuardedProcess | undefined;
  controllerManager: GuardedProcess | undefined;

  constructor(options: ControlPlaneOptions, assets: string, folder: string, ports: PlanePorts) {
    this.#options = options;
    this.#assets = assets;
    this.#folder = folder;
    this.#files = planeFiles(folder);
    this.#ports = ports;
  }

  #spawn(program: string, args: readonly string[], logFile: string): GuardedProcess {
    return new GuardedProcess({ command: join(this.#assets, program), args, logFile, folder: this.#folder });
  }

  async startEtcdAndApiServer(client: PlaneClient): Promise<void> {
    this.#startEtcd();
    this.#startApiServer();
    await this.etcd?.until('healthy', async () => {
      const health = await fetch(`http://127.0.0.1:${this.#ports.etcdClient}/health`);
      return health.ok;
    });
    await this.#untilReady(client);
  }

  #startEtcd(): void {
    this.etcd = this.#spawn('etcd', etcdFlags(this.#files, this.#ports), this.#files.etcdLog);
  }

  #startApiServer(): void {
    const flags = apiServerFlags(this.#files, this.#ports, this.#options);
    this.apiServer = this.#spawn('kube-apiserver', flags, this.#files.apiServerLog);
  }

  async startApiServer(client: PlaneClient): Promise<void> {
    if (this.apiServer?.isRunning === true) return;
    this.#startApiServer();
    await this.#untilReady(client);
  }

  async #untilReady(client: PlaneClient): Promise<void> {
    await this.apiServer?.until('ready', async () => {
      const ready = await client.request('GET', '/readyz');
      const namespace = await client.request('GET', '/api/v1/namespaces/default');
      return ready.status === 200 && namespace.status === 200;
    });
  }

  async startControllerManager(client: PlaneClient): Promise<void> {
    const flags = controllerManagerFlags(this.#files, this.#options);
    const user = client.user({ name: 'system:kube-controller-manager', groups: ['system:masters'] });
    await writeFile(this.#files.controllerManagerKubeconfig, user.kubeconfig.text, { mode: 0o600 });
    this.controllerManager = this.#spawn('kube-controller-manager', flags, this.#files.controllerManagerLog);
    if (typeof this.#options.controllerManager === 'object') return;
    await this.controllerManager.until('making service accounts', async () => {
      const account = await client.request('GET', '/api/v1/namespaces/default/serviceaccounts/default');
      return account.status === 200;
    });
  }

  all(): readonly GuardedProcess[] {
    return [this.controllerManager, this.apiServer, this.etcd].filter((server) => server !== undefined);
  }

  async killAll(): Promise<void> {
    await Promise.all(this.all().map((server) => server.stop('SIGKILL')));
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function startOnce(options: ControlPlaneOptions, assets: string): Promise<ControlPlane> {
  const folder = await mkdtemp(join(await scratchRoot(), 'manta-plane-'));
  const files = planeFiles(folder);
  const ports = { etcdClient: await freePort(), etcdPeer: await freePort(), apiServer: await freePort() };
  const servers = new Servers(options, assets, folder, ports);
  try {
    const authority = await writeConfiguration(files, options);
    const client = createPlaneClient({
      url: `https://127.0.0.1:${ports.apiServer}`,
      folder,
      assets,
      authority: { cert: authority.cert, key: authority.key },
      ...(options.audit === true ? { auditLog: files.auditLog } : {}),
    });
    await servers.startEtcdAndApiServer(client);
    if (options.controllerManager) await servers.startControllerManager(client);
    return controlPlaneOf(servers, client);
  } catch (error) {
    await servers.killAll();
    throw error;
  }
}

function controlPlaneOf(servers: Servers, client: PlaneClient): ControlPlane {
  const stopApiServer = async (signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM') => servers.apiServer?.stop(signal);
  const startApiServer = () => servers.startApiServer(client);
  const lifecycle = {
    pids: () => servers.all().flatMap((server) => (server.isRunning ? [server.pid] : [])),
    stopApiServer,
    startApiServer,
    restartApiServer: async (signal?: 'SIGTERM' | 'SIGKILL') => {
      await stopApiServer(signal);
      await startApiServer();
    },
    pauseEtcd: () => servers.etcd?.signal('SIGSTOP'),
    resumeEtcd: () => servers.etcd?.signal('SIGCONT'),
    apiServerLog: (lines?: number) => servers.apiServer?.logTail(lines) ?? '',
    stop: async () => {
      client.close();
      await servers.killAll();
    },
  };
  return Object.defineProperties(
    {},
    { ...Object.getOwnPropertyDescriptors(client), ...Object.getOwnPropertyDescriptors(lifecycle) },
  ) as ControlPlane;
}

const attempts = 3;

/** Starts etcd and kube-apiserver (and, on request, kube-controller-manager) on free loopback ports, and waits until they are ready. */
export async function startControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const assets = options.assets ?? (process.env['MANTA_KUBE_ASSETS'] || (await provideKubeAssets()));
  for (let attempt = 1; ; attempt++) {
    try {
      return await startOnce(options, assets);
    } catch (error) {
      const isTaken = error instanceof Error && error.message.includes('address already in use');
      if (!isTaken || attempt === attempts) throw error;
    }
  }
}
