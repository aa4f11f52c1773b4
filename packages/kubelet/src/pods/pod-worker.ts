import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '@manta/base';
import { type Container, millis, type Pod, type PodStatus } from '@manta/api';
import type { Clock } from '@manta/kube';
import type { Stored } from '@manta/controllers';
import { type PodEnd, podStatus, restartPolicyOf } from './pod-status.ts';
import type { Cgroups } from '../limits/cgroups.ts';
import type { Sandbox, SandboxDriver, SandboxRequest } from '../sandbox/sandbox.ts';
import { ContainerRequests } from './container-requests.ts';
import { ContainerRunner } from './container-runner.ts';
import type { ImageTable } from '../environment/images.ts';
import { pause } from './pause.ts';
import { isPodOver, NEW_POD, nextPodState, type PodEvent, type PodState } from './pod-transition.ts';
import { removeFolder } from '../volumes/remove-folder.ts';
import { whyTooLarge } from '../volumes/volume-usage.ts';
import { memoryFolders, prepareVolume, type VolumeSources } from '../volumes/volumes.ts';

/** What the pods of one node share. */
export interface NodeServices {
  readonly driver: SandboxDriver;
  readonly images: ImageTable;
  readonly clock: Clock;
  readonly hostIp: string;
  readonly nodeCapacity: Readonly<Record<string, string>>;
  /** Where pods keep their files while they live; each has a folder of its own there. */
  readonly folder: string;
  /** Variables that every container gets, after the image's: where the API server is, for one. */
  readonly env: Readonly<Record<string, string>>;
  /** Service link variables of a pod's containers. */
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
const FIRST_RETRY_MS = 250;
const LONGEST_RETRY_MS = 60_000;
/** What sidecars get to end where the others have taken all the time there was. */
const SIDECAR_MS = 2000;
/** What the containers of a pod that takes too much get to end. */
const EVICTION_MS = 1000;
const DEADLINE: PodEnd = {
  reason: 'DeadlineExceeded',
  message: 'Pod was active on the node longer than the specified deadline',
};
/** A pod that is not ready after so long lets others begin. */
const LONGEST_TURN_MS = 15_000;

/**
 * Runs one pod on this machine, from its sandbox to its last container's end. What is known of the pod is one value; `nextPodState` says how
 * each event changes it.
 */
export class PodWorker {
  readonly uid: string;
  #pod: Stored<Pod>;
  readonly #node: NodeServices;
  readonly #changed: () => void;
  readonly #folder: string;
  readonly #startMs: number;
  readonly #inits: readonly ContainerRunner[];
  readonly #mains: readonly ContainerRunner[];
  readonly #requests: ContainerRequests;
  #state: PodState = NEW_POD;
  /** Aborted when the pod has to end, for any reason. */
  readonly #stopping = new AbortController();
  /** Aborted when nothing of it runs any more. */
  readonly #done = new AbortController();
  #stopped: Promise<void> | undefined;
  #endTurn: () => void = () => undefined;
  readonly #runs: Promise<void>[] = [];

  constructor(pod: Stored<Pod>, node: NodeServices, changed: () => void) {
    this.uid = pod.metadata.uid;
    this.#pod = pod;
    this.#node = node;
    this.#changed = changed;
    this.#startMs = node.clock.now();
    this.#folder = join(node.folder, pod.metadata.uid);
    this.#requests = new ContainerRequests(node, this.#folder, () => ({
      pod: this.#pod,
      ip: this.#state.sandbox?.ip ?? '',
    }));
    const policy = restartPolicyOf(pod);
    const runner = (container: Container, own: typeof policy, waiting?: string) =>
      new ContainerRunner(container, own, this.#host(container), waiting);
    const hasInits = (pod.spec?.initContainers ?? []).length > 0;
    this.#inits = (pod.spec?.initContainers ?? []).map((container) => {
      return runner(container, isSidecar(container) ? 'Always' : policy === 'Never' ? 'Never' : 'OnFailure');
    });
    this.#mains = (pod.spec?.containers ?? []).map((container) =>
      runner(container, policy, hasInits ? 'PodInitializing' : undefined),
    );
  }

  /** Where it runs; undefined before it does, and when it has ended. */
  get sandbox(): Sandbox | undefined {
    return isPodOver(this.#state) ? undefined : this.#state.sandbox;
  }

  get #isStopping(): boolean {
    return this.#state.phase === 'stopping';
  }

  /** Moves to the next state; false where the event changes nothing. */
  #apply(event: PodEvent): boolean {
    const before = this.#state;
    this.#state = nextPodState(before, event);
    return this.#state !== before;
  }

  /** The status to report now. */
  status(current: Stored<Pod>): PodStatus {
    this.#pod = current;
    const isQuiet = [...this.#mains, ...this.#inits].every((runner) => !runner.isAlive);
    const { message, ...status } = podStatus({
      pod: current,
      containers: this.#mains.map((runner) => runner.view()),
      ...(this.#inits.length === 0 ? {} : { initContainers: this.#inits.map((runner) => runner.view()) }),
      podIp: this.#state.sandbox?.ip ?? '',
      hostIp: this.#node.hostIp,
      startMs: this.#startMs,
      nowMs: this.#node.clock.now(),
      hasSandbox: this.sandbox !== undefined,
      // Reported only at the end: the worker does not check again afterwards.
      ended: isQuiet ? this.#state.end : undefined,
      runtime: 'manta',
    });
    const words = this.#state.end === undefined ? this.#state.problem : message;
    return words === undefined ? status : { ...status, message: words };
  }

  /** The runner of a container, an init container or the only one there is. */
  container(name: string | undefined): ContainerRunner | undefined {
    const all = [...this.#mains, ...this.#inits];
    return name === undefined || name === '' ? this.#mains[0] : all.find(({ container }) => container.name === name);
  }

  /** Brings the pod up and runs it to its end; never rejects. */
  async run(): Promise<void> {
    void this.#keepDeadline();
    try {
      await this.#start();
    } catch (error) {
      this.#failToStart(messageOf(error));
    } finally {
      this.#done.abort();
      this.#endTurn();
      this.#changed();
      if (this.#isStopping) void this.#sweep();
    }
  }

  /** Ends everything within the grace period and takes the sandbox down; never rejects. Asking again waits for the same end, or a sooner one. */
  stop(graceSeconds = graceOf(this.#pod)): Promise<void> {
    this.#apply({ type: 'stop requested', nowMs: this.#node.clock.now(), graceSeconds });
    this.#stopping.abort();
    const hurry = this.#stopped === undefined ? undefined : this.#endAll();
    if (this.#stopped === undefined) {
      this.#stopped = this.#stop();
      void this.#sweep();
    }
    return hurry === undefined ? this.#stopped : Promise.all([hurry, this.#stopped]).then(() => undefined);
  }

  /** Brings volumes that show ConfigMaps, Secrets and tokens up to date. */
  async refresh(): Promise<void> {
    if (this.sandbox === undefined || this.#isStopping) return;
    for (const volume of this.#pod.spec?.volumes ?? []) {
      const isLive = volume.configMap ?? volume.secret ?? volume.projected ?? volume.downwardAPI;
      if (isLive !== undefined)
        await prepareVolume(volume, this.#folder, this.#requests.sources()).catch(() => undefined);
    }
    if (this.#isStopping) return await this.#sweep();
    const tooLarge = await whyTooLarge(this.#pod, this.#folder);
    if (tooLarge !== undefined) await this.#endFor({ reason: 'Evicted', message: tooLarge }, EVICTION_MS);
  }

  /** Ends what runs, for good; what it said stays, as does the object. */
  async #endFor(why: PodEnd, graceMs: number): Promise<void> {
    if (!this.#apply({ type: 'ended by the kubelet', end: why, stopByMs: this.#node.clock.now() + graceMs })) return;
    this.#node.tell(this.#pod, why.reason === 'Evicted' ? 'Warning' : 'Normal', why.reason, why.message);
    this.#stopping.abort();
    await this.#endAll();
  }

  /** Ends it when it has been active for as long as it may; nothing where that has no end. */
  async #keepDeadline(): Promise<void> {
    const { spec, status } = this.#pod;
    if (spec?.activeDeadlineSeconds === undefined) return;
    const sinceMs = millis(status?.startTime) ?? this.#startMs;
    await pause(
      this.#node.clock,
      sinceMs + spec.activeDeadlineSeconds * 1000 - this.#node.clock.now(),
      this.#done.signal,
    );
    if (!this.#done.signal.aborted) await this.#endFor(DEADLINE, graceOf(this.#pod) * 1000);
  }

  async setHosts(): Promise<void> {
    const { sandbox } = this;
    if (sandbox !== undefined) await sandbox.setHosts(this.#node.hostsOf(this.#pod, sandbox.ip));
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
      memory: memoryFolders(this.#pod, this.#folder),
      ports: (spec?.containers ?? []).flatMap(({ ports = [] }) => ports.map(({ containerPort }) => containerPort)),
    });
    if (sandbox === undefined) return;
    // A stop was requested while the sandbox was created, when there was nothing to destroy yet.
    if (this.#isStopping) {
      await this.#takeDown();
      return;
    }
    await this.setHosts();
    this.#changed();
    if (await this.#initialize()) await this.#runMains();
    if (!this.#isStopping) await this.#rest();
  }

  /** Runs the init containers one after the other; false when the pod comes to nothing. */
  async #initialize(): Promise<boolean> {
    for (const init of this.#inits) {
      const run = this.#begin(init);
      // From here on the sidecar runs on its own.
      await Promise.race([run, ...(isSidecar(init.container) ? [init.started] : [])]);
      const { moment } = init.view();
      const hasFailed = !isSidecar(init.container) && moment.state === 'ended' && moment.code !== 0;
      if (this.#isStopping || this.#state.end !== undefined || hasFailed) return false;
    }
    return true;
  }

  /** Starts the containers in their order, each when the one before it has begun, and waits until all have ended. */
  async #runMains(): Promise<void> {
    const runs: Promise<void>[] = [];
    for (const main of this.#mains) {
      if (this.#isStopping || this.#state.end !== undefined) break;
      runs.push(this.#begin(main));
      await main.begun;
    }
    await Promise.all(runs);
  }

  #begin(runner: ContainerRunner): Promise<void> {
    const run = runner.run();
    this.#runs.push(run);
    return run;
  }

  /** A pod whose containers have ended keeps only its output: its sandbox is destroyed and its address reused. */
  async #rest(): Promise<void> {
    await this.#endSidecars(() => graceOf(this.#pod) * 1000);
    this.#apply({ type: 'finished' });
    await this.#state.sandbox?.destroy().catch(() => undefined);
    this.#requests.removeGroups();
  }

  /** Tried again, ever more seldom, until it succeeds; undefined when the pod was stopped or ended before. */
  async #makeSandbox(request: SandboxRequest): Promise<Sandbox | undefined> {
    for (
      let pauseMs = FIRST_RETRY_MS;
      !this.#stopping.signal.aborted;
      pauseMs = Math.min(pauseMs * 2, LONGEST_RETRY_MS)
    ) {
      try {
        const sandbox = await this.#node.driver.create(request);
        this.#apply({ type: 'sandbox created', sandbox });
        return sandbox;
      } catch (error) {
        this.#failToStart(messageOf(error));
        // Others need not wait for it.
        this.#endTurn();
        this.#changed();
      }
      await pause(this.#node.clock, pauseMs, this.#stopping.signal);
    }
    return undefined;
  }

  #failToStart(problem: string): void {
    this.#apply({ type: 'failed to start', problem });
    this.#node.tell(this.#pod, 'Warning', 'FailedCreatePodSandBox', problem);
  }

  async #stop(): Promise<void> {
    await this.#endAll();
    await this.#takeDown();
  }

  async #endAll(): Promise<void> {
    await this.#endContainers();
    await this.#endSidecars(() => {
      const isForced = this.#state.phase === 'stopping' && this.#state.isForced;
      return Math.max(this.#state.stopByMs - this.#node.clock.now(), isForced ? 0 : SIDECAR_MS);
    });
  }

  async #endContainers(): Promise<void> {
    const left = Math.max(0, this.#state.stopByMs - this.#node.clock.now());
    const runners = [...this.#mains, ...this.#inits.filter(({ container }) => !isSidecar(container))];
    await Promise.all(runners.map((runner) => runner.stop(left)));
  }

  /** Sidecars serve the others to the end, and those that began later are served by those before them. */
  async #endSidecars(graceMs: () => number): Promise<void> {
    for (const init of this.#inits.toReversed()) if (isSidecar(init.container)) await init.stop(graceMs());
  }

  /** Never rejects: if the supervisor has ended, so have its processes; a folder that cannot be removed is removed at the next start. */
  async #takeDown(): Promise<void> {
    await this.#state.sandbox?.destroy().catch(() => undefined);
    this.#requests.removeGroups();
    removeFolder(this.#folder);
  }

  /** Removes files that were still written while their folder was deleted. */
  async #sweep(): Promise<void> {
    await Promise.allSettled([this.#stopped, ...this.#runs]);
    removeFolder(this.#folder);
  }

  #host(container: Container) {
    return {
      sandbox: lazily(() => this.#state.sandbox),
      clock: this.#node.clock,
      podName: `${this.#pod.metadata.name}_${this.#pod.metadata.namespace}(${this.uid})`,
      graceMs: graceOf(this.#pod) * 1000,
      request: (_: Container, attempt: number) => this.#requests.make(container, attempt),
      image: ({ image = '' }: Container) => this.#node.images(image),
      hasRunOut: () => this.#requests.hasRunOut(container.name),
      changed: () => {
        if (this.#mains.every((main) => isUp(main))) this.#endTurn();
        this.#changed();
      },
      tell: (severity: 'Normal' | 'Warning', reason: string, message: string) =>
        this.#node.tell(this.#pod, severity, reason, message),
    };
  }
}

function isSidecar({ restartPolicy }: Container): boolean {
  return restartPolicy === 'Always';
}

/** How long a pod may take to end, in seconds. */
function graceOf({ spec }: Pod): number {
  return spec?.terminationGracePeriodSeconds ?? DEFAULT_GRACE_SECONDS;
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
