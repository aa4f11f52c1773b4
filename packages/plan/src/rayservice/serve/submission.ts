import { RayServiceEventReason as Event, sha256 } from '@manta/api';
import { type Action, normal, type PlannedEvent, warning } from '../../plan.ts';
import { hasFailedUpgrade } from '../upgrade/progress-deadline.ts';
import { alreadyDeployed } from './already-deployed.ts';
import type {
  HeadMemory,
  InFlightConfig,
  ServeConfig,
  ServiceCluster,
  Submission,
  DesiredConfig,
} from '../observed.ts';
import { headMemory, isHeadReady, MAX_BACKOFF_MS } from './serving.ts';
import { fullName, isMigratingTraffic, type AssignedCluster, type ServiceState } from '../service-state.ts';

/** What is done in one pass about the configuration of one cluster's Serve. */
export interface SubmissionPlan {
  readonly actions: readonly Action[];
  /** The head's memory for the next reconcile. */
  readonly head: HeadMemory;
  /** The head's memory once the ends of earlier submissions are noted, and before a new one is sent: this reconcile decides by it. */
  readonly noted: HeadMemory;
  /** Ids of submissions whose end was taken note of. */
  readonly settled: readonly string[];
  /** The capacity that the head took since the last look. */
  readonly capacity?: number | undefined;
  /** What is wrong with the wanted configuration, in a sentence. */
  readonly configProblem?: string | undefined;
  /** The wanted configuration cannot be sent at all; what runs goes on. */
  readonly isConfigUnusable?: boolean;
  /** What the user has been told and need not be told again. */
  readonly told?: string | undefined;
  readonly requeueAfterMs?: number | undefined;
}

const FIRST_BACKOFF_MS = 2_000;

/** Takes note of what became of the last submission and sends the next one, if one is needed. `capacity` is the wanted one. */
export function planSubmission(
  state: ServiceState,
  side: AssignedCluster,
  view: ServiceCluster,
  capacity: number | undefined,
): SubmissionPlan {
  const noted = withComplaint(state, withDeployed(state, side, view, recordResult(state, side, view)));
  if (noted.head.sent !== undefined || !isHeadReady(state, view)) return noted;
  // A capacity that was taken just now is not in the status yet, from which the wish was made.
  const next = nextSubmission(state, side, view, noted.head, noted.capacity ?? capacity);
  if (next.kind === 'none') return noted;
  if (next.kind === 'refused') {
    const { why, configProblem } = next;
    return { ...noted, ...complain(state, side, why), configProblem, isConfigUnusable: true };
  }
  if (next.kind === 'assumed') return { ...noted, capacity: next.capacity };
  const waitMs = noted.head.backoffUntil - state.now;
  if (waitMs > 0) return { ...noted, requeueAfterMs: waitMs };
  return send(side, noted, next.wanted, next.isCapacityOnly);
}

function withDeployed(
  state: ServiceState,
  side: AssignedCluster,
  view: ServiceCluster,
  plan: SubmissionPlan,
): SubmissionPlan {
  const taken = keepsAcceptedConfig(state, side) ? undefined : alreadyDeployed(state, side, view, plan.head);
  return taken === undefined ? plan : { ...plan, head: { ...plan.head, taken } };
}

/** Whether a cluster keeps the configuration that it has, whatever the spec says: it is the one that the traffic leaves. */
export function keepsAcceptedConfig(state: ServiceState, { role }: AssignedCluster): boolean {
  if (role === 'active' && hasFailedUpgrade(state)) return true;
  // Traffic goes over at once: until then the old cluster serves what it has.
  if (role === 'active' && state.strategy.kind !== 'incremental' && state.pending.name !== '') return true;
  if (!isMigratingTraffic(state)) return false;
  return role === 'active' ? !state.isRollingBack : state.isRollingBack;
}

/** What a user has to know about the configuration while nothing serves. */
function withComplaint({ serveConfig }: ServiceState, plan: SubmissionPlan): SubmissionPlan {
  const { refusal } = plan.head;
  if (refusal !== undefined) return { ...plan, configProblem: `Serve did not take the configuration: ${refusal}` };
  return listsNone(serveConfig) ? { ...plan, configProblem: NO_APPLICATIONS } : plan;
}

const NO_APPLICATIONS = 'serveConfigV2 lists no applications';

function listsNone(config: ServeConfig): boolean {
  const applications = config.ok ? config.value['applications'] : undefined;
  return config.ok && (!Array.isArray(applications) || applications.length === 0);
}

function recordResult(state: ServiceState, side: AssignedCluster, view: ServiceCluster): SubmissionPlan {
  const head = headMemory(state, view);
  const { sent, ...rest } = head;
  const result = view.submissions.find(({ id }) => id === sent?.id);
  const settled = staleSubmissions(view.submissions, side, sent?.id);
  if (sent === undefined || result?.state === 'running') return { actions: [], head, noted: head, settled };
  if (result === undefined) return { actions: [], head: rest, noted: rest, settled };
  const actions: readonly Action[] = [{ type: 'event', event: eventOf(state, side, sent, result) }];
  const all = [...settled, sent.id];
  if (result.state === 'failed') {
    const failedAttempts = head.failedAttempts + 1;
    const { message: refusal } = result;
    const noted = { ...rest, failedAttempts, refusal, backoffUntil: state.now + backoffMs(failedAttempts) };
    return { actions, head: noted, noted, settled: all };
  }
  const { id: _id, isCapacityOnly: _step, ...wanted } = sent;
  const taken = { ...wanted, at: result.at };
  const noted = { ...rest, taken, refusal: undefined, backoffUntil: state.now + backoffMs(head.failedAttempts) };
  return { actions, head: noted, noted, settled: all, capacity: sent.capacity };
}

/** Submissions to this cluster that nobody asks about any more, such as those to an earlier life of its head. */
function staleSubmissions(
  all: readonly Submission[],
  { name }: AssignedCluster,
  current: string | undefined,
): readonly string[] {
  return all
    .filter(({ id, state }) => id.startsWith(`${name}/`) && id !== current && state !== 'running')
    .map(({ id }) => id);
}

type Next =
  | { readonly kind: 'none' }
  | { readonly kind: 'refused'; readonly why: string; readonly configProblem: string }
  /** Nobody knows the cluster's configuration any more, so its capacity is left as it is. */
  | { readonly kind: 'assumed'; readonly capacity: number }
  | { readonly kind: 'send'; readonly wanted: DesiredConfig; readonly isCapacityOnly: boolean };

const NONE: Next = { kind: 'none' };

function nextSubmission(
  state: ServiceState,
  side: AssignedCluster,
  { serve }: ServiceCluster,
  { taken, last }: HeadMemory,
  capacity: number | undefined,
): Next {
  // A head that does not answer questions is told nothing, and an answer from before the last submission says nothing about it.
  if (serve.kind !== 'known' || serve.at < (taken?.at ?? 0)) return NONE;
  const isCapacityOnly = capacity !== undefined && capacity !== (taken?.capacity ?? side.status.targetCapacity);
  const hasNone = Object.keys(serve.applications).length === 0;
  // Taken already, and the status that should have said so was not written.
  if (capacity !== undefined && capacity === taken?.capacity && capacity !== side.status.targetCapacity) {
    return { kind: 'assumed', capacity };
  }
  if (keepsAcceptedConfig(state, side)) {
    const known = taken ?? last;
    if (hasNone && known !== undefined) return { kind: 'send', wanted: { ...known, capacity }, isCapacityOnly: false };
    if (!hasNone && !isCapacityOnly) return NONE;
    const config = known?.config ?? serve.config;
    if (config !== undefined)
      return { kind: 'send', wanted: { text: known?.text ?? '', config, capacity }, isCapacityOnly };
    // A cluster that has nothing to serve, and of which nothing is known, gets what there is.
    if (!hasNone) return isCapacityOnly ? { kind: 'assumed', capacity } : NONE;
  }
  const { serveConfigV2: text = '' } = state.spec;
  const isNew = taken?.text !== text;
  if (!isNew && !hasNone && !isCapacityOnly) return NONE;
  const { serveConfig } = state;
  if (!serveConfig.ok) {
    const { error: why } = serveConfig;
    return { kind: 'refused', why, configProblem: `serveConfigV2 cannot be read: ${why}` };
  }
  // Serve would take down all that runs. Whoever wants that suspends the service.
  if (listsNone(serveConfig) && !hasNone) {
    return { kind: 'refused', why: `${NO_APPLICATIONS}; those that run go on`, configProblem: NO_APPLICATIONS };
  }
  // One thing at a time: a configuration is taken at the capacity that the cluster has, and then the capacity changes.
  if (isNew || hasNone) {
    const wanted = { text, config: serveConfig.value, capacity: side.status.targetCapacity ?? capacity };
    return { kind: 'send', wanted, isCapacityOnly: false };
  }
  return { kind: 'send', wanted: { text, config: serveConfig.value, capacity }, isCapacityOnly };
}

function send(
  { name }: AssignedCluster,
  noted: SubmissionPlan,
  wanted: DesiredConfig,
  isCapacityOnly: boolean,
): SubmissionPlan {
  const { head } = noted;
  const isRepeated = head.taken?.text === wanted.text && head.taken.capacity === wanted.capacity;
  // What was refused goes on counting, whatever the head took before.
  const hasComeToNothing = head.taken === undefined || head.refusal !== undefined;
  const failedAttempts = isRepeated ? head.failedAttempts + 1 : hasComeToNothing ? head.failedAttempts : 0;
  // What another life of the head was told under the same words is another submission.
  const life = sha256(head.session).slice(0, 8);
  const id = [name, life, sha256(wanted.text).slice(0, 12), String(wanted.capacity ?? ''), String(failedAttempts)].join(
    '/',
  );
  const config = wanted.capacity === undefined ? wanted.config : { ...wanted.config, target_capacity: wanted.capacity };
  const command = { kind: 'put-serve', config: JSON.stringify(config) } as const;
  return {
    ...noted,
    actions: [...noted.actions, { type: 'ray', id, cluster: name, command }],
    head: { ...head, failedAttempts, sent: { ...wanted, id, isCapacityOnly } },
  };
}

/** The first repetition comes at once: applications are lost when a head restarts, and waiting would help nobody. */
function backoffMs(failedAttempts: number): number {
  return failedAttempts === 0 ? 0 : Math.min(FIRST_BACKOFF_MS * 2 ** (failedAttempts - 1), MAX_BACKOFF_MS);
}

function eventOf(
  state: ServiceState,
  { name }: AssignedCluster,
  { isCapacityOnly }: InFlightConfig,
  result: { readonly state: 'done' } | { readonly state: 'failed'; readonly message: string },
): PlannedEvent {
  const cluster = `the RayCluster ${fullName(state, name)}`;
  if (result.state === 'failed') {
    return isCapacityOnly
      ? warning(
          Event.FailedToUpdateTargetCapacity,
          'Update',
          `Failed to update target_capacity of serve applications to ${cluster}: ${result.message}`,
        )
      : failedUpdate(state, name, result.message);
  }
  // The doubled word is what users' alerts know from the peer.
  return isCapacityOnly
    ? normal(
        Event.UpdatedServeTargetCapacity,
        'Update',
        `Updated target_capacity of serve applications to to ${cluster}`,
      )
    : normal(Event.UpdatedServeApplications, 'Update', `Updated serve applications to ${cluster}`);
}

function failedUpdate(state: ServiceState, name: string, why: string): PlannedEvent {
  const note = `Failed to update serve applications to the RayCluster ${fullName(state, name)}: ${why}`;
  return warning(Event.FailedToUpdateServeApplications, 'Update', note);
}

/** A configuration that can't be sent is told once, not at every look. */
function complain(
  state: ServiceState,
  { name }: AssignedCluster,
  why: string,
): Pick<SubmissionPlan, 'actions' | 'told'> {
  const told = `${name}: ${why}`;
  if (state.memory.told.includes(told)) return { actions: [], told };
  return { actions: [{ type: 'event', event: failedUpdate(state, name, why) }], told };
}
