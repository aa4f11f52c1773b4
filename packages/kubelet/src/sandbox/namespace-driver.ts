import { guardConnection } from '@manta/base';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { SERVICE_CIDR } from '@manta/apiserver';
import { readFirstLine } from '../supervisor/connection.ts';
import type { SupervisorSettings } from '../supervisor/protocol.ts';
import { enterLine, rootScript } from '../supervisor/root-script.ts';
import type { BalancedPort } from '../network/balancer.ts';
import { clusterIpPorts } from '../network/service-routes.ts';
import { AddressPool } from './address-pool.ts';
import { hiddenPaths } from './hidden-paths.ts';
import { SupervisorKeeper } from './supervisor-keeper.ts';
import type { SupervisorConnection } from './supervisor-connection.ts';
import { execIn, type SupervisedProcess, openSocket, startOn } from './supervisor-process.ts';
import { SupervisedSandbox } from './supervised-sandbox.ts';
import type { ProcessRequest, Sandbox, SandboxDriver, SandboxRequest } from './sandbox.ts';
import { newSocketFolder } from './socket-folder.ts';
import { writeInPlace } from './write-in-place.ts';

/** Ports of the supervisor's address, as pods see them. */
const API_PORT = 6443;
export const EGRESS_PORT = 3128;
const SUBNET = '10.244.0';
/** All addresses of pods. */
export const POD_RANGE = `${SUBNET}.0/24`;
/** The address of the supervisor on the pods' network, where they find the API server. */
export const POD_GATEWAY = `${SUBNET}.1`;

export interface NamespaceDriverOptions {
  /** `user`: without any privilege, in a user namespace. `root`: as root, where user namespaces are forbidden. */
  readonly mode: 'user' | 'root';
  readonly description: string;
  /** Where it notes what has to be removed after a crash. No container sees it. */
  readonly dataDir: string;
  /** Further files and folders that no container may see, wherever they are. */
  readonly hidden?: readonly string[];
  /** The command that runs `runSupervisor` with the settings as its last argument, in JSON. */
  readonly supervisorCommand: readonly string[];
  /** Takes a connection from a pod to the API server. */
  readonly onApiConnection: (socket: Socket) => void;
  /** Takes a connection from a pod to the world outside: an HTTP proxy. */
  readonly onEgressConnection: (socket: Socket) => void;
  /** Called when the supervisor has died and is restarted. */
  readonly onTrouble?: (error: Error) => void;
}

/** The flags of `unshare` for each mode. */
export const NAMESPACE_FLAGS = {
  user: ['-U', '-r', '-n', '-m', '-p', '-u', '-i', '-f', '--kill-child', '--mount-proc'],
  root: ['-n', '-m', '-p', '-u', '-i', '-f', '--kill-child', '--mount-proc'],
} as const;

/** Pods with their own network, processes and mounts, on a bridge inside namespaces that the host does not see. */
export async function startNamespaceDriver(options: NamespaceDriverOptions): Promise<SandboxDriver> {
  const folder = newSocketFolder(options.dataDir);
  const servers = [
    await listen(join(folder, 'api'), options.onApiConnection),
    await listen(join(folder, 'egress'), options.onEgressConnection),
  ];
  const settings: SupervisorSettings = {
    kind: 'namespaces',
    mode: options.mode,
    socket: join(folder, 'supervisor'),
    subnet: SUBNET,
    serviceCidr: SERVICE_CIDR,
    forwards: [
      { port: API_PORT, socket: join(folder, 'api') },
      // Where those look who know it by its name.
      { port: 443, socket: join(folder, 'api') },
      { port: EGRESS_PORT, socket: join(folder, 'egress') },
    ],
  };
  const clean = () => {
    for (const server of servers) server.close();
    rmSync(folder, { recursive: true, force: true });
  };
  const { mode, supervisorCommand, onTrouble: onDeath = () => undefined } = options;
  const command = ['unshare', ...NAMESPACE_FLAGS[mode], '--', ...supervisorCommand, JSON.stringify(settings)];
  try {
    let ports: readonly BalancedPort[] = [];
    // A restarted supervisor has no state; if it dies too, the next one gets the ports.
    const onStart = (line: SupervisorConnection) =>
      void line.call({ type: 'services', ports }).catch((error: Error) => {
        if (!line.isOver) onDeath(error);
      });
    const keeper = await SupervisorKeeper.start({ command, socket: settings.socket, onDeath, onStart });
    const pods: NamespacePods = {
      socket: settings.socket,
      keeper,
      mode,
      hidden: [options.dataDir, homedir(), ...(options.hidden ?? [])],
    };
    const addresses = new AddressPool(SUBNET);
    return {
      description: options.description,
      apiServer: { host: POD_GATEWAY, port: API_PORT },
      egress: `http://${POD_GATEWAY}:${EGRESS_PORT}`,
      create: (request) => createSandbox(pods, addresses, request),
      reach: ({ clusterIp, port }) => Promise.resolve({ host: clusterIp, port }),
      async servicesAre(routes) {
        ports = clusterIpPorts(routes);
        const line = await keeper.line();
        await line.call({ type: 'services', ports });
      },
      async close() {
        await keeper.close();
        clean();
      },
    };
  } catch (error) {
    clean();
    throw error;
  }
}

function listen(path: string, handle: (socket: Socket) => void): Promise<Server> {
  const server = createServer(
    { allowHalfOpen: true },
    guardConnection('sandbox', (socket) => {
      socket.on('error', () => socket.destroy());
      handle(socket);
    }),
  );
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, () => resolve(server.on('error', () => undefined)));
  });
}

interface NamespacePods {
  readonly socket: string;
  readonly keeper: SupervisorKeeper;
  readonly mode: 'user' | 'root';
  readonly hidden: readonly string[];
}

async function createSandbox(pods: NamespacePods, addresses: AddressPool, request: SandboxRequest): Promise<Sandbox> {
  const ip = addresses.take();
  const { folder } = request;
  const sandbox = new SupervisedSandbox(pods.keeper, request, ip);
  try {
    writeFileSync(join(folder, 'hosts'), request.hosts);
    // Without a name server: one that cannot be reached makes every look-up wait.
    writeFileSync(join(folder, 'resolv.conf'), 'options timeout:1 attempts:1\n');
    await sandbox.line();
  } catch (error) {
    addresses.give(ip);
    throw error;
  }
  let isGone = false;
  return {
    ip,
    start: async (process) => await startProcess(pods, await sandbox.line(), request, process),
    exec: (container, command, env) => execIn(pods.socket, container, command, env ?? {}),
    // Written in place, never renamed: the file is mounted in the containers, and Ray keeps it open.
    setHosts: (text) => writeInPlace(join(folder, 'hosts'), text),
    connect: (port) => dial(pods.socket, ip, port),
    async destroy() {
      if (isGone) return;
      isGone = true;
      try {
        await sandbox.destroy();
      } finally {
        addresses.give(ip);
      }
    },
  };
}

async function startProcess(
  { mode, hidden }: NamespacePods,
  line: SupervisorConnection,
  { folder, id }: SandboxRequest,
  request: ProcessRequest,
): Promise<SupervisedProcess> {
  const own = join(folder, 'containers', request.name);
  for (const each of ['root', 'tmp']) mkdirSync(join(own, each), { recursive: true });
  const { name, command, env, output, shmBytes, mounts, programs = [], joins = [], workingDir = '/' } = request;
  const build = rootScript({
    root: join(own, 'root'),
    tmp: join(own, 'tmp'),
    hosts: join(folder, 'hosts'),
    resolvConf: join(folder, 'resolv.conf'),
    shmBytes,
    mounts,
    programs,
    // Resolved for each container: a kubeconfig is written after the first have started.
    hidden: hiddenPaths(hidden, programs),
    path: env['PATH'] ?? '',
    joins,
  });
  const script = `${build}\n${enterLine(mode, workingDir)}`;
  return await startOn(line, { sandbox: id, name, script, command, env, output, workingDir });
}

async function dial(path: string, ip: string, port: number): Promise<Duplex> {
  const socket = await openSocket(path, { type: 'dial', ip, port });
  const problem = await readFirstLine(socket);
  if (problem === '') return socket;
  socket.destroy();
  throw new Error(problem);
}
