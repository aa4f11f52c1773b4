import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Container, Pod, PodStatus } from '@manta/api';
import type { Stored } from '../../controllers/cluster.ts';
import { podStatus, restartPolicyOf } from '../../kubelet/pod-status.ts';
import type { Cgroups, ContainerGroup } from '../limits/cgroups.ts';
import { limitsOf } from '../limits/limits-of.ts';
import type { ProcessRequest, Sandbox, SandboxDriver, SandboxRequest } from '../sandbox/sandbox.ts';
import { ContainerRunner } from './container-runner.ts';
import { environmentOf } from './environment.ts';
import { expand } from './expand.ts';
import type { ImageTable } from './images.ts';
import { OBJECT_STORE_VARIABLE, objectStoreBytes, sharedMemoryFor } from './ray-memory.ts';
import { removeFolder } from './remove-folder.ts';
import { mountsOf, prepareVolume, type ReadyVolume, sharedMemoryBytes, type VolumeSources } from './volumes.ts';

/** What the pods of one node share. */
export interface NodeServices {
  readonly driver: SandboxDriver;
  readonly images: ImageTable;
  readonly now: () => number;
  readonly hostIp: string;
  readonly nodeCapacity: Readonly<Record<string, string>>;
  /** Where pods keep their files while they live; each has a folder of its own there. */
  readonly folder: string;
  /** Variables that every container gets, after the image's: where the API server is, for one. */
  readonly env: Readonly<Record<string, string>>;
  /** Variables that tell a pod's containers where Services are. */
  readonly linksOf: (pod: Stored<Pod>) => Promise<Readonly<Record<string, string>>>;
  readonly sourcesOf: (pod: Stored<Pod>) => Omit<VolumeSources, 'pod' | 'podIp' | 'hostIp' | 'nodeCapacity'>;
  /** Where containers can be held to their limits. */
  readonly cgroups?: Cgroups | undefined;
  /** The content of `/etc/hosts` for a pod with this address. */
  readonly hostsOf: (pod: Stored<Pod>, ip: string) => string;
  /** Resolves when there is room to start one more pod; call what it gives when the pod is up. */
  readonly turn: () => Promise<() => void>;
  readonly tell: (pod: Stored<Pod>, severity: 'Normal' | 'Warning', reason: string, message: string) => void;
}

const DEFAULT_GRACE_SECONDS = 30;
const DEFAULT_SHM_BYTES = 512 * 1024 * 1024;
const FIRST_RETRY_MS = 250;
const LONGEST_RETRY_MS = 60_000;
/** A pod that is not ready after so long lets others begin. */
const LONGEST_TURN_MS = 15_000;

/** One pod on this machine, from its sandbox to its last container's end. */
export class PodWorker {
  readonly uid: string;
  readonly #pod: Stored<Pod>;
  readonly #node: NodeServices;
  readonly #changed: () => void;
  readonly #folder: string;
  readonly #startMs: number;
  readonly #inits: readonly ContainerRunner[];
  readonly #mains: readonly ContainerRunner[];
  readonly #volumes = new Map<string, ReadyVolume>();
  readonly #groups = new Map<string, ContainerGroup>();
  #sandbox: Sandbox | undefined;
  #problem: string | undefined;
  #isStopping = false;
  readonly #stopping = new AbortController();
  #stopped: Promise<void> | undefined;
  #endTurn: () => void = () => undefined;

  constructor(pod: Stored<Pod>, node: NodeServices, changed: () => void) {
    this.uid = pod.metadata.uid;
    this.#pod = pod;
    this.#node = node;
    this.#changed = changed;
    this.#startMs = node.now();
    this.#folder = join(node.folder, pod.metadata.uid);
    const policy = restartPolicyOf(pod);
    const runner = (container: Container, own: typeof policy, waiting?: string) =>
      new ContainerRunner(container, own, this.#host(container), waiting);
    const hasInits = (pod.spec?.initContainers ?? []).length > 0;
    this.#inits = (pod.spec?.initContainers ?? []).map((container) => {
      const isSidecar = container.restartPolicy === 'Always';
      return runner(container, isSidecar ? 'Always' : policy === 'Never' ? 'Never' : 'OnFailure');
    });
    this.#mains = (pod.spec?.containers ?? []).map((container) =>
      runner(container, policy, hasInits ? 'PodInitializing' : undefined),
    );
  }

  get sandbox(): Sandbox | undefined {
    return this.#sandbox;
  }

  /** The status to report now. */
  status(current: Pod): PodStatus {
    const status = podStatus({
      pod: current,
      containers: this.#mains.map((runner) => runner.view()),
      ...(this.#inits.length === 0 ? {} : { initContainers: this.#inits.map((runner) => runner.view()) }),
      podIp: this.#sandbox?.ip ?? '',
      hostIp: this.#node.hostIp,
      startMs: this.#startMs,
      nowMs: this.#node.now(),
    });
    return this.#problem === undefined ? status : { ...status, message: this.#problem };
  }

  /** The runner of a container, an init container or the only one there is. */
  container(name: string | undefined): ContainerRunner | undefined {
    const all = [...this.#mains, ...this.#inits];
    return name === undefined || name === '' ? this.#mains[0] : all.find(({ container }) => container.name === name);
  }

  /** Brings the pod up and runs it to its end; never rejects. */
  async run(): Promise<void> {
    try {
      await this.#start();
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      this.#problem = message;
      this.#node.tell(this.#pod, 'Warning', 'FailedCreatePodSandBox', message);
    } finally {
      this.#endTurn();
      this.#changed();
    }
  }

  /** Ends everything within the grace period and takes the sandbox down; never rejects. Asking again waits for the same end. */
  stop(graceSeconds = this.#pod.spec?.terminationGracePeriodSeconds ?? DEFAULT_GRACE_SECONDS): Promise<void> {
    this.#isStopping = true;
    this.#stopping.abort();
    this.#stopped ??= this.#stop(graceSeconds * 1000);
    return this.#stopped;
  }

  /** Brings volumes that show ConfigMaps, Secrets and tokens up to date. */
  async refresh(): Promise<void> {
    if (this.#sandbox === undefined || this.#isStopping) return;
    for (const volume of this.#pod.spec?.volumes ?? []) {
      const isLive = volume.configMap ?? volume.secret ?? volume.projected ?? volume.downwardAPI;
      if (isLive !== undefined) await prepareVolume(volume, this.#folder, this.#sources()).catch(() => undefined);
    }
  }

  async setHosts(): Promise<void> {
    if (this.#sandbox !== undefined) await this.#sandbox.setHosts(this.#node.hostsOf(this.#pod, this.#sandbox.ip));
  }

  async #start(): Promise<void> {
    this.#endTurn = await this.#node.turn();
    if (this.#isStopping) return;
    const letOthers = setTimeout(() => this.#endTurn(), LONGEST_TURN_MS);
    letOthers.unref();
    mkdirSync(join(this.#folder, 'logs'), { recursive: true });
    const { metadata, spec } = this.#pod;
    const sandbox = await this.#makeSandbox({
      id: metadata.uid,
      hostname: (spec?.hostname ?? metadata.name).slice(0, 63),
      folder: this.#folder,
      hosts: '127.0.0.1 localhost\n',
      ports: (spec?.containers ?? []).flatMap(({ ports = [] }) => ports.map(({ containerPort }) => containerPort)),
    });
    if (sandbox === undefined) return;
    this.#sandbox = sandbox;
    // Asked to stop while it was being made: whoever asked saw nothing to take down.
    if (this.#isStopping) {
      await this.#takeDown();
      return;
    }
    await this.setHosts();
    this.#changed();
    for (const init of this.#inits) {
      if (init.container.restartPolicy === 'Always') void init.run();
      else await init.run();
      const { moment } = init.view();
      if (this.#isStopping || (moment.state === 'ended' && moment.code !== 0)) return;
    }
    await Promise.all(this.#mains.map((main) => main.run()));
    await Promise.all(this.#inits.map((sidecar) => sidecar.stop(1000)));
  }

  /** Tried again, ever more seldom, until it succeeds; undefined when the pod was stopped before. */
  async #makeSandbox(request: SandboxRequest): Promise<Sandbox | undefined> {
    for (let pauseMs = FIRST_RETRY_MS; !this.#isStopping; pauseMs = Math.min(pauseMs * 2, LONGEST_RETRY_MS)) {
      try {
        const sandbox = await this.#node.driver.create(request);
        this.#problem = undefined;
        return sandbox;
      } catch (error) {
        this.#problem = error instanceof Error ? error.message : String(error);
        this.#node.tell(this.#pod, 'Warning', 'FailedCreatePodSandBox', this.#problem);
        // Others need not wait for it.
        this.#endTurn();
        this.#changed();
      }
      await sleep(pauseMs, undefined, { signal: this.#stopping.signal, ref: false }).catch(() => undefined);
    }
    return undefined;
  }

  async #stop(graceMs: number): Promise<void> {
    const runners = [...this.#mains, ...this.#inits];
    await Promise.all(runners.map((runner) => runner.stop(graceMs)));
    await this.#takeDown();
  }

  /** Never rejects: where the machine is gone its processes are too, and a folder that resists is swept at the next start. */
  async #takeDown(): Promise<void> {
    await this.#sandbox?.destroy().catch(() => undefined);
    for (const group of this.#groups.values()) group.remove();
    removeFolder(this.#folder);
  }

  #host(container: Container) {
    return {
      sandbox: lazily(() => this.#sandbox),
      now: this.#node.now,
      request: (_: Container, attempt: number) => this.#request(container, attempt),
      image: ({ image = '' }: Container) => this.#node.images(image),
      hasRunOut: () => this.#groups.get(container.name)?.hasRunOut() === true,
      changed: () => {
        if (this.#mains.every((main) => isUp(main))) this.#endTurn();
        this.#changed();
      },
      tell: (severity: 'Normal' | 'Warning', reason: string, message: string) =>
        this.#node.tell(this.#pod, severity, reason, message),
    };
  }

  async #request(container: Container, attempt: number): Promise<ProcessRequest> {
    const sources = this.#sources();
    for (const volume of this.#pod.spec?.volumes ?? []) {
      if (container.volumeMounts?.some(({ name }) => name === volume.name) !== true) continue;
      this.#volumes.set(volume.name, await prepareVolume(volume, this.#folder, sources));
    }
    const image = this.#node.images(container.image ?? '');
    const isRay = container.image?.includes('rayproject/') === true;
    const storeBytes = objectStoreBytes(container);
    const base = {
      ...(image.kind === 'known' ? image.env : {}),
      ...(await this.#node.linksOf(this.#pod)),
      ...(isRay ? { [OBJECT_STORE_VARIABLE]: String(storeBytes) } : {}),
    };
    const env = environmentOf(container, sources, { ...base, HOSTNAME: this.#pod.metadata.name, ...this.#node.env });
    const shmBytes =
      sharedMemoryBytes(container, this.#volumes) ??
      (isRay ? Math.max(DEFAULT_SHM_BYTES, sharedMemoryFor(storeBytes)) : DEFAULT_SHM_BYTES);
    const fallback = image.kind === 'known' ? (image.command ?? []) : [];
    const command = [...(container.command ?? fallback), ...(container.args ?? [])];
    if (command.length === 0)
      throw new Error(`container ${container.name} has no command, and none is known of its image`);
    return {
      name: container.name,
      command: command.map((word) => expand(word, env)),
      env,
      mounts: mountsOf(container, this.#volumes, env),
      workingDir: container.workingDir ?? (isRay ? '/home/ray' : '/'),
      shmBytes,
      output: join(this.#folder, 'logs', `${container.name}.${attempt}.log`),
      joins: this.#group(container)?.joins ?? [],
    };
  }

  /** The container's control groups, made anew for each run, so that what has run out is known of this one. */
  #group(container: Container): ContainerGroup | undefined {
    this.#groups.get(container.name)?.remove();
    const group = this.#node.cgroups?.create(`${this.uid}-${container.name}`, limitsOf(container));
    if (group !== undefined) this.#groups.set(container.name, group);
    return group;
  }

  #sources(): VolumeSources {
    const { hostIp, nodeCapacity } = this.#node;
    return { ...this.#node.sourcesOf(this.#pod), pod: this.#pod, podIp: this.#sandbox?.ip ?? '', hostIp, nodeCapacity };
  }
}

/** Up enough to let the next one begin: it is ready, or it will not become so by waiting. */
function isUp(runner: ContainerRunner): boolean {
  const { moment } = runner.view();
  return moment.state === 'running' ? moment.isReady : moment.state === 'ended';
}

/** Containers are made before their sandbox is. */
function lazily(current: () => Sandbox | undefined): Sandbox {
  const get = () => {
    const sandbox = current();
    if (sandbox === undefined) throw new Error('the pod has no sandbox yet');
    return sandbox;
  };
  return {
    get ip() {
      return get().ip;
    },
    start: (request) => get().start(request),
    exec: (container, command, env) => get().exec(container, command, env),
    setHosts: (text) => get().setHosts(text),
    connect: (port) => get().connect(port),
    destroy: () => get().destroy(),
  };
}
