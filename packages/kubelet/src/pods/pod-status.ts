import { type ContainerStatus, type Pod, type PodCondition, type PodStatus, timestamp } from '@manta/api';
import { type ContainerMoment, type Ended, type RestartPolicy, restarts } from './container-state.ts';

/** A container at a moment. */
export interface ContainerView {
  readonly name: string;
  readonly image: string;
  readonly attempt: number;
  readonly moment: ContainerMoment;
  readonly last?: Ended | undefined;
}

/** Why a kubelet has ended a pod for good. */
export interface PodEnd {
  readonly reason: 'DeadlineExceeded' | 'Evicted';
  readonly message: string;
}

/** What a pod's status is made of. */
export interface PodView {
  readonly pod: Pod;
  readonly containers: readonly ContainerView[];
  /** Where init containers really run; absent: they are done as soon as the pod starts. */
  readonly initContainers?: readonly ContainerView[];
  /** Whether the pod has its sandbox; absent: while a container runs. */
  readonly hasSandbox?: boolean;
  /** Why the kubelet has ended it; absent: it has not. */
  readonly ended?: PodEnd | undefined;
  /** The container runtime in container ids; default `scripted`. */
  readonly runtime?: string;
  readonly podIp: string;
  readonly hostIp: string;
  readonly startMs: number;
  readonly nowMs: number;
}

/** The status that a kubelet reports. Conditions that others set are kept. */
export function podStatus(view: PodView): PodStatus {
  const { pod, containers, podIp, hostIp, startMs } = view;
  const phase = phaseOf(view);
  const hasStarted =
    [...containers, ...(view.initContainers ?? [])].some(({ moment }) => moment.state !== 'waiting') ||
    pod.status?.podIP !== undefined;
  return {
    ...pod.status,
    phase,
    ...view.ended,
    conditions: conditionsOf(view, phase),
    hostIP: hostIp,
    hostIPs: [{ ip: hostIp }],
    ...(hasStarted && podIp !== '' ? { podIP: podIp, podIPs: [{ ip: podIp }] } : {}),
    startTime: pod.status?.startTime ?? timestamp(startMs),
    ...(pod.spec?.initContainers === undefined ? {} : { initContainerStatuses: initStatuses(view, hasStarted) }),
    containerStatuses: containers.map((container) => containerStatus(container, view.runtime)),
  };
}

/** A container that will be started again counts as running once it has run; in a pod that is being deleted none is. No pod ends before its sidecars. */
function phaseOf({ pod, containers, initContainers = [], ended }: PodView): string {
  if (ended !== undefined) return 'Failed';
  const sidecars = sidecarsOf(pod);
  const hasFailed = initContainers.some(
    ({ name, moment }) => !sidecars.has(name) && moment.state === 'ended' && moment.code !== 0,
  );
  const isServed = initContainers.some(({ name, moment }) => sidecars.has(name) && moment.state === 'running');
  if (hasFailed && !isServed && restartPolicyOf(pod) === 'Never') return 'Failed';
  const states = containers.map(({ moment }) => moment);
  const isLast = (code: number) =>
    pod.metadata?.deletionTimestamp !== undefined || !restarts(restartPolicyOf(pod), code);
  if (!isServed && states.every((moment) => moment.state === 'ended' && isLast(moment.code))) {
    return states.every((moment) => moment.state === 'ended' && moment.code === 0) ? 'Succeeded' : 'Failed';
  }
  return containers.some(({ moment, attempt }) => moment.state === 'waiting' && attempt === 0) ? 'Pending' : 'Running';
}

const DISRUPTED = { type: 'DisruptionTarget', status: 'True', reason: 'TerminationByKubelet' } as const;

function conditionsOf(view: PodView, phase: string): readonly PodCondition[] {
  const { pod, containers, initContainers = [], nowMs } = view;
  const sidecars = sidecarsOf(pod);
  const lasting = [...initContainers.filter(({ name }) => sidecars.has(name)), ...containers];
  const unready = lasting.filter(({ moment }) => !isReady(moment)).map(({ name }) => name);
  const end = phase === 'Succeeded' ? 'PodCompleted' : 'PodFailed';
  const isOver = phase === 'Succeeded' || phase === 'Failed';
  const message = `containers with unready status: [${unready.join(' ')}]`;
  const waits = isOver ? { reason: end } : { reason: 'ContainersNotReady', message };
  const contained = unready.length === 0 ? { status: 'True' } : { status: 'False', ...waits };
  const gate = unready.length === 0 ? missingGate(pod) : undefined;
  const ready = gate === undefined ? contained : { status: 'False', reason: 'ReadinessGatesNotReady', message: gate };
  const initialized = initializedOf(view, phase);
  const hasSandbox = !isOver && (view.hasSandbox ?? containers.some(({ moment }) => moment.state === 'running'));
  const wanted: readonly Omit<PodCondition, 'lastTransitionTime'>[] = [
    { type: 'PodReadyToStartContainers', status: hasSandbox ? 'True' : 'False' },
    { type: 'Initialized', ...initialized },
    { type: 'Ready', ...ready },
    { type: 'ContainersReady', ...contained },
    { type: 'PodScheduled', status: 'True' },
    ...(view.ended?.reason === 'Evicted' ? [{ ...DISRUPTED, message: view.ended.message }] : []),
  ];
  const before = pod.status?.conditions ?? [];
  const own = wanted.map((condition) => {
    const old = before.find(({ type }) => type === condition.type);
    const since = old?.status === condition.status ? old.lastTransitionTime : undefined;
    return { ...condition, lastTransitionTime: since ?? timestamp(nowMs) };
  });
  return [...own, ...before.filter(({ type }) => !wanted.some((condition) => condition.type === type))];
}

/** A pod whose containers have begun was initialized, whatever its sidecars do later. */
function initializedOf({ pod, containers, initContainers = [] }: PodView, phase: string): Omit<PodCondition, 'type'> {
  const sidecars = sidecarsOf(pod);
  const unfinished = initContainers.filter((init) => !isInitialized(init, sidecars.has(init.name)));
  const hasBegun = containers.some(({ attempt, moment }) => attempt > 0 || moment.state === 'running');
  if (unfinished.length > 0 && !hasBegun && phase !== 'Succeeded') {
    const message = `containers with incomplete status: [${unfinished.map(({ name }) => name).join(' ')}]`;
    return { status: 'False', reason: 'ContainersNotInitialized', message };
  }
  return phase === 'Succeeded' ? { status: 'True', reason: 'PodCompleted' } : { status: 'True' };
}

/** An init container is done when it ended well, a sidecar among them when it has started. */
function isInitialized({ moment }: ContainerView, isSidecar: boolean): boolean {
  return isSidecar ? isStarted(moment) : moment.state === 'ended' && moment.code === 0;
}

/** The init containers that go on while the others run. */
function sidecarsOf({ spec }: Pod): ReadonlySet<string> {
  const inits = spec?.initContainers ?? [];
  return new Set(inits.filter(({ restartPolicy }) => restartPolicy === 'Always').map(({ name }) => name));
}

/** What is missing of the conditions that the pod says others must set. */
function missingGate({ spec, status }: Pod): string | undefined {
  const gates = (spec?.readinessGates ?? []).map(({ conditionType }) => conditionType);
  const missing = gates.filter((gate) => status?.conditions?.find(({ type }) => type === gate)?.status !== 'True');
  const [first] = missing;
  if (first === undefined) return undefined;
  const isAbsent = status?.conditions?.every(({ type }) => type !== first) !== false;
  return isAbsent
    ? `corresponding condition of pod readiness gate "${first}" does not exist.`
    : `the status of pod readiness gate "${first}" is not "True", but False`;
}

function containerStatus(view: ContainerView, runtime = 'scripted'): ContainerStatus {
  const { name, image, attempt, moment, last } = view;
  const hasRun = attempt > 0 || (moment.state !== 'waiting' && moment.startMs !== undefined);
  // A run that only waits to begin again has not been counted as a restart yet.
  const restartCount = moment.state === 'waiting' && attempt > 0 ? attempt - 1 : attempt;
  return {
    name,
    image,
    imageID: hasRun ? `${runtime}://${image}` : '',
    ...(hasRun ? { containerID: `${runtime}://${name}-${restartCount}` } : {}),
    ready: isReady(moment),
    started: isStarted(moment),
    restartCount,
    state: stateOf(moment),
    lastState: last === undefined ? {} : { terminated: terminated(last) },
  };
}

function stateOf(moment: ContainerMoment): NonNullable<ContainerStatus['state']> {
  switch (moment.state) {
    case 'waiting':
      return {
        waiting: { reason: moment.reason, ...(moment.message === undefined ? {} : { message: moment.message }) },
      };
    case 'running':
      return { running: { startedAt: timestamp(moment.startMs) } };
    case 'ended':
      return { terminated: terminated(moment) };
  }
}

function terminated({ code, reason, message, startMs, endMs }: Ended) {
  return {
    exitCode: code,
    reason: reason ?? (code === 0 ? 'Completed' : 'Error'),
    ...(message === undefined ? {} : { message }),
    ...(startMs === undefined ? {} : { startedAt: timestamp(startMs) }),
    finishedAt: timestamp(endMs),
  };
}

/** In scripts init containers are done when the pod starts, sidecars among them run. */
function initStatuses(view: PodView, hasStarted: boolean): readonly ContainerStatus[] {
  const { pod, startMs, containers, initContainers } = view;
  if (initContainers !== undefined) {
    const sidecars = sidecarsOf(pod);
    return initContainers.map((init) => {
      const isSidecar = sidecars.has(init.name);
      return {
        ...containerStatus(init, view.runtime),
        ready: isSidecar ? isReady(init.moment) : isInitialized(init, false),
      };
    });
  }
  const isOver = containers.every(({ moment }) => moment.state === 'ended');
  return (pod.spec?.initContainers ?? []).map(({ name, image = '', restartPolicy }) => {
    const isSidecar = restartPolicy === 'Always';
    const ended = { code: 0, startMs, endMs: startMs };
    const started: ContainerMoment =
      isSidecar && !isOver ? { state: 'running', startMs, isReady: true } : { state: 'ended', ...ended };
    const moment: ContainerMoment = hasStarted ? started : { state: 'waiting', reason: 'PodInitializing' };
    const status = containerStatus({ name, image, attempt: 0, moment });
    return isSidecar ? status : { ...status, ready: hasStarted };
  });
}

function isReady(moment: ContainerMoment): boolean {
  return moment.state === 'running' && moment.isReady;
}

function isStarted(moment: ContainerMoment): boolean {
  return moment.state === 'running' && moment.isStarted !== false;
}

/** How a pod's containers are treated when they end. */
export function restartPolicyOf({ spec }: Pod): RestartPolicy {
  const policy = spec?.restartPolicy;
  return policy === 'Never' || policy === 'OnFailure' ? policy : 'Always';
}
