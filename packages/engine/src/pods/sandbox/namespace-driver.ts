import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { readFirstLine } from '../machine/connection.ts';
import type { MachineSettings } from '../machine/protocol.ts';
import { rootScript } from '../machine/root-script.ts';
import { AddressPool } from './address-pool.ts';
import { MachineLine } from './machine-line.ts';
import type { ExecStreams, ProcessRequest, Sandbox, SandboxDriver, SandboxProcess, SandboxRequest } from './sandbox.ts';
import { newSocketFolder } from './socket-folder.ts';

/** Ports of the machine's address, as pods see them. */
const API_PORT = 6443;
export const EGRESS_PORT = 3128;
const SUBNET = '10.244.0';
/** The address of the machine on the pods' network, where they find the API server. */
export const POD_GATEWAY = `${SUBNET}.1`;

export interface NamespaceDriverOptions {
  /** `user`: without any privilege, in a user namespace. `root`: as root, where user namespaces are forbidden. */
  readonly mode: 'user' | 'root';
  readonly description: string;
  /** Where it notes what has to be removed after a crash. */
  readonly dataDir: string;
  /** The command that runs `runMachine` with the settings as its last argument, in JSON. */
  readonly machineCommand: readonly string[];
  /** Takes a connection from a pod to the API server. */
  readonly onApiConnection: (socket: Socket) => void;
  /** Takes a connection from a pod to the world outside: an HTTP proxy. */
  readonly onEgressConnection: (socket: Socket) => void;
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
  const settings: MachineSettings = {
    socket: join(folder, 'machine'),
    subnet: SUBNET,
    forwards: [
      { port: API_PORT, socket: join(folder, 'api') },
      { port: EGRESS_PORT, socket: join(folder, 'egress') },
    ],
  };
  const child = startMachine(options, settings);
  const clean = () => {
    for (const server of servers) server.close();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const line = await MachineLine.open(settings.socket, child.failed);
    const machine = { socket: settings.socket, line };
    const addresses = new AddressPool(SUBNET);
    return {
      description: options.description,
      apiServer: { host: POD_GATEWAY, port: API_PORT },
      create: (request) => createSandbox(machine, addresses, request),
      async close() {
        line.close();
        await child.ended;
        clean();
      },
    };
  } catch (error) {
    child.process.kill('SIGKILL');
    clean();
    throw error;
  }
}

interface MachineProcess {
  readonly process: ChildProcess;
  readonly ended: Promise<void>;
  /** Rejects with what it said when it ends. */
  readonly failed: Promise<never>;
}

function startMachine({ mode, machineCommand }: NamespaceDriverOptions, settings: MachineSettings): MachineProcess {
  const args = [...NAMESPACE_FLAGS[mode], '--', ...machineCommand, JSON.stringify(settings)];
  const process = spawn('unshare', args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  process.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-4096);
  });
  const ended = new Promise<void>((resolve) => {
    process.once('error', () => resolve());
    process.once('close', () => resolve());
  });
  const failed = ended.then(() => {
    throw new Error(`the pods' machine ended: ${said.trim() || `unshare said nothing (${process.exitCode})`}`);
  });
  failed.catch(() => undefined);
  return { process, ended, failed };
}

function listen(path: string, handle: (socket: Socket) => void): Promise<Server> {
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => socket.destroy());
    handle(socket);
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, () => resolve(server));
  });
}

interface Machine {
  readonly socket: string;
  readonly line: MachineLine;
}

async function createSandbox(machine: Machine, addresses: AddressPool, request: SandboxRequest): Promise<Sandbox> {
  const ip = addresses.take();
  const { id, hostname, folder } = request;
  writeFileSync(join(folder, 'hosts'), request.hosts);
  // Without a name server: one that cannot be reached makes every look-up wait.
  writeFileSync(join(folder, 'resolv.conf'), 'options timeout:1 attempts:1\n');
  try {
    await machine.line.call({ type: 'create', sandbox: id, ip, hostname });
  } catch (error) {
    await machine.line.call({ type: 'destroy', sandbox: id }).catch(() => undefined);
    addresses.give(ip);
    throw error;
  }
  let isGone = false;
  return {
    ip,
    start: (process) => startProcess(machine, request, process),
    exec: (container, command, env) => execIn(machine, container, command, env ?? {}),
    // Written in place, never renamed: the file is mounted in the containers, and Ray keeps it open.
    async setHosts(text) {
      await writeFile(join(folder, 'hosts'), text);
    },
    connect: (port) => dial(machine.socket, ip, port),
    async destroy() {
      if (isGone) return;
      isGone = true;
      await machine.line.call({ type: 'destroy', sandbox: id });
      addresses.give(ip);
    },
  };
}

async function startProcess(
  { line }: Machine,
  { folder, id }: SandboxRequest,
  request: ProcessRequest,
): Promise<NamespaceProcess> {
  const own = join(folder, 'containers', request.name);
  for (const each of ['root', 'tmp']) mkdirSync(join(own, each), { recursive: true });
  const script = rootScript({
    root: join(own, 'root'),
    tmp: join(own, 'tmp'),
    hosts: join(folder, 'hosts'),
    resolvConf: join(folder, 'resolv.conf'),
    shmBytes: request.shmBytes,
    mounts: request.mounts,
    workingDir: request.workingDir ?? '/',
  });
  const machineName = `${id}/${request.name}/${randomBytes(4).toString('hex')}`;
  const { command, env, output } = request;
  const ended = line.endOf(machineName);
  await line.call({ type: 'start', sandbox: id, process: machineName, script, command, env, output });
  const signal = (name: NodeJS.Signals) => line.call({ type: 'signal', process: machineName, signal: name });
  return { name: request.name, machineName, ended, signal };
}

/** A process as the machine knows it. */
interface NamespaceProcess extends SandboxProcess {
  readonly machineName: string;
}

async function execIn(
  { line, socket }: Machine,
  container: SandboxProcess,
  command: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<ExecStreams> {
  if (!('machineName' in container) || typeof container.machineName !== 'string')
    throw new Error('this container is of another sandbox');
  const exec = `exec/${randomBytes(6).toString('hex')}`;
  const ended = line.endOf(exec);
  await line.call({ type: 'exec', process: container.machineName, exec, command, env });
  const stream = (name: 'stdin' | 'stdout' | 'stderr') => openSocket(socket, { type: 'stream', exec, stream: name });
  const [stdin, stdout, stderr] = await Promise.all([stream('stdin'), stream('stdout'), stream('stderr')]);
  const kill = () => void line.call({ type: 'signal', process: exec, signal: 'SIGKILL' }).catch(() => undefined);
  return { stdin, stdout, stderr, ended, kill };
}

async function dial(path: string, ip: string, port: number): Promise<Duplex> {
  const socket = await openSocket(path, { type: 'dial', ip, port });
  const problem = await readFirstLine(socket);
  if (problem === '') return socket;
  socket.destroy();
  throw new Error(problem);
}

function openSocket(path: string, hello: object): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ path, allowHalfOpen: true });
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.off('error', reject).on('error', () => socket.destroy());
      socket.write(`${JSON.stringify(hello)}\n`);
      resolve(socket);
    });
  });
}
