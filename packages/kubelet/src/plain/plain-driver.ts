import { guard } from '@manta/base';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { release } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { quote } from '../supervisor/quote.ts';
import { joinLines } from '../supervisor/root-script.ts';
import type { SupervisorSettings } from '../supervisor/protocol.ts';
import type { Admit } from '../network/loopback-access.ts';
import type { Dial } from '../network/service-proxy.ts';
import { AddressPool } from '../sandbox/address-pool.ts';
import { SupervisorKeeper } from '../sandbox/supervisor-keeper.ts';
import { execIn, startOn } from '../sandbox/supervisor-process.ts';
import type { Mount, ProcessRequest, Sandbox, SandboxDriver, SandboxRequest } from '../sandbox/sandbox.ts';
import { newSocketFolder } from '../sandbox/socket-folder.ts';
import { writeInPlace } from '../sandbox/write-in-place.ts';
import { type Door, Doors } from './doors.ts';
import { loopbackDevice } from './loopback-device.ts';
import { endMarked } from './marked-processes.ts';
import { PodPorts, portsIn, RAY_PORTS } from './pod-ports.ts';
import { PortPool } from './port-pool.ts';
import { type PodFacts, writeShim } from './shim.ts';
import { type Translation, translate, translatePaths } from './translate.ts';

export interface PlainDriverOptions {
  readonly description: string;
  readonly dataDir: string;
  /** The command that runs `runSupervisor` with the settings as its last argument, in JSON. */
  readonly supervisorCommand: readonly string[];
  /** Takes a connection from a pod to the API server. */
  readonly onApiConnection: (socket: Socket) => void;
  /** Opens a connection to what a name of the cluster and a port stand for. */
  readonly dial: Dial;
  /** Which connections to ports that lead to Services are served; all unless given. Pods are processes of the engine's own user. */
  readonly admit?: Admit | undefined;
  readonly onTrouble?: (error: Error) => void;
}

/** What pods' objects say: Kubernetes takes no loopback address for a pod. */
const SUBNET = '10.244.0';
/**
 * Where they really are. Every address of 127.0.0.0/8 is this machine on Linux, and Ray takes all of them for what they are but
 * 127.0.0.1, which it replaces. Elsewhere there is only that one.
 */
const realAddress = (ip: string) =>
  process.platform === 'linux' ? `127.77.0.${ip.slice(ip.lastIndexOf('.') + 1)}` : '127.0.0.1';
/** Where pods find the machine itself. */
export const PLAIN_GATEWAY = realAddress(`${SUBNET}.1`);
const DEVICE = loopbackDevice({
  platform: process.platform,
  release: release(),
  isRoot: process.getuid?.() === 0,
});

/** Pods without any namespaces: ports of their own, names and folders translated, everything else shared with the pods. */
export async function startPlainDriver(options: PlainDriverOptions): Promise<SandboxDriver> {
  const folder = newSocketFolder(options.dataDir);
  const api = new Doors(PLAIN_GATEWAY, options.dial, { host: '', port: 0 });
  const apiServer = await api.listen(options.onApiConnection);
  const doors = new Doors(PLAIN_GATEWAY, options.dial, apiServer, options.admit);
  const clean = () => {
    api.close();
    doors.close();
    rmSync(folder, { recursive: true, force: true });
  };
  const mark = createHash('sha256').update(options.dataDir).digest('hex').slice(0, 12);
  const settings: SupervisorSettings = { kind: 'plain', socket: join(folder, 'supervisor'), mark };
  try {
    const keeper = await SupervisorKeeper.start({
      command: [...options.supervisorCommand, JSON.stringify(settings)],
      socket: settings.socket,
      onDeath: options.onTrouble ?? (() => undefined),
    });
    const pods: PlainPods = {
      keeper,
      folder,
      socket: settings.socket,
      shim: writeShim(folder),
      doors,
      porter: await doors.openPorter(),
      addresses: new AddressPool(SUBNET),
      ports: new PortPool(),
      services: new Map(),
    };
    return {
      description: options.description,
      apiServer,
      egress: undefined,
      create: (request) => createSandbox(pods, request),
      reach: ({ name, namespace, port }) => doors.of(`${name}.${namespace}.svc`, port),
      async servicesAre(routes) {
        pods.services.clear();
        for (const { service, clusterIp } of routes)
          if (clusterIp !== undefined)
            pods.services.set(clusterIp, `${service.metadata.name}.${service.metadata.namespace}.svc`);
        await doors.servicesAre(
          new Set(routes.map(({ service: { metadata } }) => `${metadata.name}.${metadata.namespace}`)),
        );
      },
      async close() {
        await keeper.close();
        // Pods that outlived a killed engine must be ended here.
        await endMarked(`${mark}:`);
        clean();
      },
    };
  } catch (error) {
    clean();
    throw error;
  }
}

interface PlainPods {
  readonly keeper: SupervisorKeeper;
  readonly folder: string;
  readonly socket: string;
  readonly shim: string;
  readonly doors: Doors;
  readonly porter: Door;
  readonly addresses: AddressPool;
  readonly ports: PortPool;
  /** The names of Services by their addresses. */
  readonly services: Map<string, string>;
}

async function createSandbox(pods: PlainPods, request: SandboxRequest): Promise<Sandbox> {
  const pod = await newPod(pods, request);
  const { ip, ports } = pod;
  let isGone = false;
  return {
    ip,
    start: (process) => startContainer(pods, pod, process),
    async exec(container, command, env) {
      const translation = { ...translationOf(pods, pod), paths: pathsOf.get(container) ?? [] };
      const words = await Promise.all(command.map((word) => translate(word, translation)));
      return await execIn(pods.socket, container, words, env ?? {});
    },
    setHosts: (text) => writeInPlace(hostsOf(request), text),
    connect: (port) => connectTo(realAddress(ip), ports, port),
    async destroy() {
      if (isGone) return;
      isGone = true;
      try {
        await pods.doors.forget((name) => name === ip);
        const line = await pods.keeper.line();
        await line.call({ type: 'destroy', sandbox: request.id });
      } finally {
        giveBack(pods, pod);
      }
    },
  };
}

async function newPod(pods: PlainPods, request: SandboxRequest): Promise<PlainPod> {
  const ip = pods.addresses.take();
  // Short: the names of Ray's sockets in it may have little more than a hundred letters.
  const tmp = join(pods.folder, ip.slice(ip.lastIndexOf('.') + 1));
  const pod: PlainPod = { request, ip, ports: new PodPorts(pods.ports), tmp };
  try {
    for (const each of [tmp, join(tmp, 'ray'), join(request.folder, 'home')]) mkdirSync(each, { recursive: true });
    writeFileSync(hostsOf(request), request.hosts);
    // A login shell forgets where programs are, and reads this last.
    writeFileSync(join(request.folder, 'home', '.profile'), 'PATH="$MANTA_PATH"\n');
    await pod.ports.add(Object.values(RAY_PORTS));
    await pod.ports.declare(request.ports ?? []);
    return pod;
  } catch (error) {
    giveBack(pods, pod);
    throw error;
  }
}

function giveBack({ addresses }: PlainPods, { ip, ports, tmp }: PlainPod): void {
  ports.giveBack();
  addresses.give(ip);
  rmSync(tmp, { recursive: true, force: true });
}

function hostsOf({ folder }: SandboxRequest): string {
  return join(folder, 'hosts');
}

interface PlainPod {
  readonly request: SandboxRequest;
  readonly ip: string;
  readonly ports: PodPorts;
  readonly tmp: string;
}

/** The folders of each running container. */
const pathsOf = new WeakMap<object, Translation['paths']>();

async function startContainer(pods: PlainPods, pod: PlainPod, request: ProcessRequest) {
  await pod.ports.add(portsIn(request.command));
  const paths = foldersOf(pod, request);
  const translation = { ...translationOf(pods, pod), paths };
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(request.env)) env[name] = await translate(value, translation);
  Object.assign(env, variablesOf(pods, pod, env, paths));
  const command = await Promise.all(request.command.map((word) => translate(word, translation)));
  const workingDir = translatePaths(request.workingDir ?? '/', [...paths, homeOf(pod)]);
  const complaint = `the working directory ${request.workingDir ?? '/'} does not exist`;
  const join0 = joinLines(request.joins).map((line) => `${line}; `);
  const script = `${join0.join('')}cd ${quote(workingDir)} 2>/dev/null || { echo ${quote(complaint)} >&2; exit 126; }; exec "$@"`;
  const line = await pods.keeper.line();
  const { name, output } = request;
  const process = await startOn(line, {
    sandbox: pod.request.id,
    name,
    script,
    command,
    env,
    output,
    workingDir,
  });
  pathsOf.set(process, paths);
  return process;
}

/** Folders as the container sees them. Ray's own temporary files have a place of their own, whatever volume is meant for them. */
function foldersOf({ request, tmp }: PlainPod, { mounts }: ProcessRequest): Translation['paths'] {
  const volumes = mounts.flatMap((mount) => {
    if (mount.target === '/' || mount.target.startsWith('/tmp/ray')) return [];
    if (mount.kind === 'bind') return [[mount.target, folderWithin(mount)] as const];
    const memory = join(request.folder, 'memory', mount.target.replaceAll('/', '_'));
    mkdirSync(memory, { recursive: true });
    return [[mount.target, memory] as const];
  });
  const own = [['/tmp/ray', join(tmp, 'ray')] as const];
  // /var/run and /run are one folder.
  const runs = volumes.flatMap(([seen, real]) =>
    seen.startsWith('/var/run/') ? [[seen.slice(4), real] as const] : [],
  );
  return [...own, ...runs, ...volumes];
}

/** What is mounted of a volume: a part of it where a path is given, made where it is missing. */
function folderWithin({ source, within }: Extract<Mount, { kind: 'bind' }>): string {
  if (within === undefined) return source;
  const path = join(source, within);
  if (!existsSync(path)) mkdirSync(path, { recursive: true });
  return path;
}

/** In commands it stays: what a submitter says of it is meant for the head's. */
function homeOf({ request }: PlainPod): readonly [string, string] {
  return ['/home/ray', join(request.folder, 'home')];
}

function translationOf({ doors, services }: PlainPods, { ip, ports }: PlainPod): Omit<Translation, 'paths'> {
  return {
    hasPort: (port) => ports.has(port),
    realPort: (port) => ports.realOf(port),
    local: DEVICE === undefined ? realAddress(ip) : undefined,
    nameOf: (address) => services.get(address),
    doorOf: (name, port) => doors.of(name, port),
  };
}

function variablesOf(
  { shim, porter }: PlainPods,
  pod: PlainPod,
  env: Readonly<Record<string, string>>,
  paths: Translation['paths'],
): Readonly<Record<string, string>> {
  const { request, ip, ports, tmp } = pod;
  const home = homeOf(pod);
  const facts: PodFacts = {
    ip: realAddress(ip),
    device: DEVICE,
    seenIp: ip,
    ports: ports.toObject(),
    paths: [...paths, home],
    porter: [porter.host, porter.port],
    hosts: hostsOf(request),
  };
  const path = [join(shim, 'bin'), env['PATH']].filter(Boolean).join(':');
  const account = paths.find(([seen]) => seen === '/var/run/secrets/kubernetes.io/serviceaccount')?.[1];
  return {
    PATH: path,
    MANTA_PATH: path,
    PYTHONPATH: [shim, env['PYTHONPATH']].filter(Boolean).join(':'),
    ...(env['HOME'] === home[0] ? { HOME: home[1] } : {}),
    MANTA_POD: JSON.stringify(facts),
    RAY_TMPDIR: tmp,
    TMPDIR: tmp,
    // Ray's workers change their process title, which would overwrite the mark in the environment.
    SPT_NOENV: '1',
    AUTOSCALER_METRIC_PORT: String(ports.realOf(RAY_PORTS['autoscalerMetrics'] ?? 0)),
    DASHBOARD_METRIC_PORT: String(ports.realOf(RAY_PORTS['dashboardMetrics'] ?? 0)),
    RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER: '1',
    ...(account === undefined ? {} : { RAY_KUBERAY_CA_CERT_PATH: join(account, 'ca.crt') }),
  };
}

/**
 * To the port that stands for one of the pod's; to that one itself where a program may have taken it without asking. Of Ray's ports that is
 * never so: who listens on them is another Ray of this pods.
 */
async function connectTo(host: string, ports: PodPorts, asked: number): Promise<Duplex> {
  const real = ports.realOf(asked);
  try {
    return await open(host, real);
  } catch (error) {
    if (real === asked || !ports.mayBeItself(asked)) throw error;
    return await open(host, asked).catch(() => {
      throw error;
    });
  }
}

function open(host: string, port: number): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, allowHalfOpen: true });
    socket.once('error', reject);
    socket.once(
      'connect',
      guard('sandbox', socket, () => resolve(socket.off('error', reject).on('error', () => socket.destroy()))),
    );
  });
}
