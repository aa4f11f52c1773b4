import { guard, guardConnection, guardProcess, messageOf } from '@manta/base';
import { spawn } from 'node:child_process';
import { connect, createServer, type Socket } from 'node:net';
import type { Target } from '../network/balancer.ts';
import { Balancers } from '../network/balancers.ts';
import { join } from '../network/join.ts';
import { closeInherited } from './close-inherited.ts';
import { onLines, readFirstLine } from './connection.ts';
import { toolPath } from './enter-container.ts';
import { PodConnections } from './pod-connections.ts';
import { NamespaceSandboxes } from './namespace-sandboxes.ts';
import { sealTools } from './seal-tools.ts';
import { PlainSandboxes } from '../plain/plain-sandboxes.ts';
import type { Answer, Call, CallOf, Hello, SupervisorSettings, NamespaceSettings, Request } from './protocol.ts';
import { quote } from './quote.ts';
import type { ProcessEnd } from '../sandbox/sandbox.ts';
import { runTool } from './run-tool.ts';

/** Exits if no control connection arrives within this time after its start: the engine has ended. */
const LONELY_MS = 20_000;

/** Where processes run; with namespaces or without. */
interface Sandboxes {
  onEnd: (process: string, end: ProcessEnd) => void;
  create(call: CallOf<'create'>): Promise<void>;
  start(call: CallOf<'start'>): void;
  /** Waits until the container is whole. */
  exec(call: CallOf<'exec'>): Promise<void> | void;
  attach(exec: string, stream: 'stdin' | 'stdout' | 'stderr', socket: Socket): void;
  signal(process: string, signal: NodeJS.Signals): void;
  destroy(sandbox: string): Promise<void>;
  /** Ends everything. */
  close(): Promise<void>;
}

interface Supervisor {
  readonly sandboxes: Sandboxes;
  readonly pods: PodConnections;
  /** The ports of Services' addresses. */
  readonly services: Balancers;
  /** The address of each sandbox. */
  readonly ips: Map<string, string>;
}

/**
 * The program inside the namespaces, and the first process in them: when it ends, the kernel ends everything that runs there. It ends with
 * its control connection, so that nothing outlives the engine, however the engine went.
 */
export async function runSupervisor(settings: SupervisorSettings): Promise<void> {
  closeInherited();
  const sandboxes = await openSandboxes(settings);
  const pods = new PodConnections();
  const supervisor: Supervisor = {
    sandboxes,
    pods,
    services: new Balancers((target) => pods.connect(target)),
    ips: new Map(),
  };
  const lonely = setTimeout(
    guard('supervisor', undefined, () => process.exit(1)),
    LONELY_MS,
  );
  const server = createServer(
    { allowHalfOpen: true },
    guardConnection('supervisor', (socket) => {
      socket.on('error', () => socket.destroy());
      return greet(socket, supervisor, () => clearTimeout(lonely));
    }),
  );
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(settings.socket, resolve);
  });
  // A connection that could not be accepted does not end the supervisor.
  server.on('error', () => undefined);
  // From now on pods may run, and all of them end with this process: an exception of one connection must not end it.
  guardProcess();
}

async function openSandboxes(settings: SupervisorSettings): Promise<Sandboxes> {
  if (settings.kind === 'plain') {
    // Ctrl-C and the like are for the engine, which ends this one when it is ready.
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
    return await PlainSandboxes.open(settings.mark);
  }
  await sealTools();
  await raiseNetwork(settings);
  for (const { port, socket } of settings.forwards) await forward(`${settings.subnet}.1`, port, socket);
  return new NamespaceSandboxes(settings.mode);
}

async function raiseNetwork({ subnet, serviceCidr }: NamespaceSettings): Promise<void> {
  await runTool('ip', ['link', 'set', 'lo', 'up']);
  await runTool('ip', ['link', 'add', 'manta0', 'type', 'bridge']);
  await runTool('ip', ['addr', 'add', `${subnet}.1/24`, 'dev', 'manta0']);
  await runTool('ip', ['link', 'set', 'manta0', 'up']);
  // All ClusterIPs are addresses of this namespace: connections to ports without a listener are refused at once.
  await runTool('ip', ['route', 'add', 'local', serviceCidr, 'dev', 'lo']);
}

/** Connections to a port of the supervisor go to a socket in the file system, out of the namespaces. */
function forward(host: string, port: number, path: string): Promise<void> {
  const server = createServer(
    { allowHalfOpen: true },
    guardConnection('supervisor', (inside) => join(inside, connect({ path, allowHalfOpen: true }))),
  );
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.on('error', () => undefined);
      resolve();
    });
  });
}

async function greet(socket: Socket, supervisor: Supervisor, onControl: () => void): Promise<void> {
  const hello: Hello = JSON.parse(await readFirstLine(socket));
  switch (hello.type) {
    case 'control':
      onControl();
      control(socket, supervisor);
      return;
    case 'dial':
      await dial(socket, supervisor.pods, hello);
      return;
    case 'stream':
      supervisor.sandboxes.attach(hello.exec, hello.stream, socket);
      return;
  }
}

function control(socket: Socket, supervisor: Supervisor): void {
  const { sandboxes } = supervisor;
  const say = (answer: Answer) => void socket.write(`${JSON.stringify(answer)}\n`);
  sandboxes.onEnd = (process, end) => say({ type: 'ended', process, ...end });
  onLines(socket, (line) => {
    const { id, call }: Request = JSON.parse(line);
    carryOut(supervisor, call).then(
      () => say({ type: 'done', id }),
      (error: unknown) => say({ type: 'failed', id, message: messageOf(error) }),
    );
  });
  let isLeaving = false;
  const leave = guard('supervisor', socket, () => {
    if (isLeaving) return;
    isLeaving = true;
    void sandboxes.close().finally(() => process.exit(0));
  });
  socket.once('close', leave);
  socket.once('end', leave);
}

async function carryOut({ sandboxes, pods, services, ips }: Supervisor, call: Call): Promise<void> {
  switch (call.type) {
    case 'create':
      ips.set(call.sandbox, call.ip);
      return await sandboxes.create(call);
    case 'start':
      return sandboxes.start(call);
    case 'exec':
      return await sandboxes.exec(call);
    case 'signal':
      return sandboxes.signal(call.process, call.signal);
    case 'destroy':
      await sandboxes.destroy(call.sandbox);
      pods.endOf(ips.get(call.sandbox) ?? '');
      ips.delete(call.sandbox);
      return;
    case 'services': {
      const refusals = await services.apply(call.ports);
      const words = refusals.map(({ balanced, error }) => `${balanced.host}:${balanced.port}: ${error.message}`);
      if (words.length > 0) throw new Error(`not all addresses of Services can be served: ${words.join('; ')}`);
    }
  }
}

/** Answers with one line, empty when the connection stands, and becomes that connection. */
async function dial(socket: Socket, pods: PodConnections, target: Target): Promise<void> {
  try {
    const pod = await pods.connect(target);
    socket.write('\n');
    join(socket, pod);
  } catch (error) {
    socket.end(`${messageOf(error)}\n`);
  }
}

/** What containers are built with; all of it is in util-linux and coreutils. */
const TOOLS = ['nsenter', 'unshare', 'setpriv', 'chroot', 'readlink', 'mount'];

/** Whether this supervisor can be had at all: the tools are there and namespaces are allowed. Undefined when it can, else why not. */
export function whyNoNamespaces(flags: readonly string[]): Promise<string | undefined> {
  const trial = [
    'set -e',
    `PATH=${quote(toolPath())}`,
    `for tool in ${TOOLS.join(' ')}; do command -v $tool >/dev/null || { echo "$tool is not installed" >&2; exit 1; }; done`,
    'ip link add manta-try type bridge',
    // With the options that containers are built with: small systems have a mount without them.
    'mount -n -t tmpfs tmpfs /mnt; cd /mnt; mkdir from to; mount -n -c --bind ./from ./to',
    // Pods have user namespaces of their own within this one.
    ...(flags.includes('-U') ? ['unshare -U -r -- true'] : []),
  ].join('\n');
  return new Promise((resolve) => {
    const child = spawn('unshare', [...flags, '--', 'sh', '-c', trial], { stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    child.once('error', (error) => resolve(`unshare cannot be run: ${error.message}`));
    child.once(
      'close',
      guard('supervisor', undefined, (code) =>
        resolve(code === 0 ? undefined : said.trim().split('\n')[0] || `unshare ended with ${code}`),
      ),
    );
  });
}
