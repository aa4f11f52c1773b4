import { RayServiceEventReason as Event, sha256 } from '@manta/api';
import { type Action, normal, type PlannedEvent, type RayAction, warning } from '../../plan.ts';
import { type DesiredConfig, type HeadMemory, headMemoryOf, type InFlightConfig, MAX_BACKOFF_MS } from '../memory.ts';
import type { ServiceCluster, Submission } from '../observed.ts';
import { type AssignedCluster, fullName, type ServiceState } from '../service-state.ts';
import { alreadyDeployed } from './already-deployed.ts';
import { keepsAcceptedConfig, listsNoApplications, nextSubmission, NO_APPLICATIONS } from './next-submission.ts';
import { isHeadReady } from './serving.ts';

/** What one reconcile does about the Serve configuration of one cluster. */
export interface SubmissionPlan {
  readonly actions: readonly Action[];
  /** The head's memory for the next reconcile. */
  readonly head: HeadMemory;
  /** The head's memory after the results of earlier PUTs, before a new one is sent: this reconcile decides by it. */
  readonly headBeforeSend: HeadMemory;
  /** Drops results of earlier PUTs that need no further attention. */
  readonly settled: readonly RayAction[];
  /** The capacity that the head accepted since the last reconcile. */
  readonly capacity?: number | undefined;
  /** What is wrong with the desired configuration, in a sentence. */
  readonly configProblem?: string | undefined;
  /** The desired configuration cannot be sent; the running applications stay. */
  readonly isConfigUnusable?: boolean;
  /** A warning that holds and is emitted once. */
  readonly warning?: string | undefined;
  readonly requeueAfterMs?: number | undefined;
}

const FIRST_BACKOFF_MS = 2_000;

/** Records the result of the last PUT, and sends the next one if one is needed. `capacity` is the wanted `target_capacity`. */
export function planSubmission(
  state: ServiceState,
  cluster: AssignedCluster,
  view: ServiceCluster,
  capacity: number | undefined,
): SubmissionPlan {
  const recorded = withConfigProblem(state, withDeployed(state, cluster, view, recordResult(state, cluster, view)));
  if (recorded.head.inFlight !== undefined || !isHeadReady(state, view)) return recorded;
  // `capacity` was derived from the status, which does not yet contain a capacity that was accepted just now.
  const next = nextSubmission(state, cluster, view, recorded.head, recorded.capacity ?? capacity);
  switch (next.kind) {
    case 'none':
      return recorded;
    case 'refused': {
      const { why, configProblem } = next;
      return { ...recorded, ...warnOnce(state, cluster, why), configProblem, isConfigUnusable: true };
    }
    case 'assumed':
      return { ...recorded, capacity: next.capacity };
    case 'send': {
      const backoffMs = recorded.head.backoffUntil - state.now;
      if (backoffMs > 0) return { ...recorded, requeueAfterMs: backoffMs };
      return send(cluster, recorded, next.desired, next.isCapacityOnly);
    }
  }
}

function withDeployed(
  state: ServiceState,
  cluster: AssignedCluster,
  view: ServiceCluster,
  plan: SubmissionPlan,
): SubmissionPlan {
  const accepted = keepsAcceptedConfig(state, cluster) ? undefined : alreadyDeployed(state, cluster, view, plan.head);
  return accepted === undefined ? plan : { ...plan, head: { ...plan.head, accepted } };
}

/** What the Ready condition reports about the configuration while nothing serves. */
function withConfigProblem({ serveConfig }: ServiceState, plan: SubmissionPlan): SubmissionPlan {
  const { refusal } = plan.head;
  if (refusal !== undefined) return { ...plan, configProblem: `Serve did not take the configuration: ${refusal}` };
  return listsNoApplications(serveConfig) ? { ...plan, configProblem: NO_APPLICATIONS } : plan;
}

function recordResult(state: ServiceState, cluster: AssignedCluster, view: ServiceCluster): SubmissionPlan {
  const head = headMemoryOf(state, view);
  const { inFlight, ...rest } = head;
  const result = view.submissions.find(({ id }) => id === inFlight?.id);
  const settled = staleSubmissions(view.submissions, cluster, inFlight?.id);
  const plan = (after: HeadMemory) => ({ actions: [], head: after, headBeforeSend: after, settled });
  if (inFlight === undefined || result?.state === 'running') return plan(head);
  if (result === undefined) return plan(rest);
  const ended = {
    actions: [{ type: 'event', event: resultEvent(state, cluster, inFlight, result) }] as const,
    settled: [...settled, settle(cluster, inFlight.id)],
  };
  if (result.state === 'failed') {
    const failedAttempts = head.failedAttempts + 1;
    const { message: refusal } = result;
    const backoffUntil = state.now + backoffAfterMs(failedAttempts);
    return { ...plan({ ...rest, failedAttempts, refusal, backoffUntil }), ...ended };
  }
  const { id: _id, isCapacityOnly: _step, ...desired } = inFlight;
  const accepted = { ...desired, at: result.at };
  const backoffUntil = state.now + backoffAfterMs(head.failedAttempts);
  return {
    ...plan({ ...rest, accepted, refusal: undefined, backoffUntil }),
    ...ended,
    capacity: inFlight.capacity,
  };
}

/** Finished PUTs to this cluster that no reconcile waits for, such as those to an earlier run of its head. */
function staleSubmissions(
  all: readonly Submission[],
  { name }: AssignedCluster,
  current: string | undefined,
): readonly RayAction[] {
  return all
    .filter((each) => each.id.startsWith(`${name}/`) && each.id !== current && each.state !== 'running')
    .map(({ id }) => settle({ name }, id));
}

function settle({ name }: Pick<AssignedCluster, 'name'>, id: string): RayAction {
  return { type: 'ray', id, cluster: name, command: { kind: 'settle' } };
}

function send(
  { name }: AssignedCluster,
  recorded: SubmissionPlan,
  desired: DesiredConfig,
  isCapacityOnly: boolean,
): SubmissionPlan {
  const { head } = recorded;
  const isRepeated = head.accepted?.text === desired.text && head.accepted.capacity === desired.capacity;
  // Refusals go on counting, whatever the head accepted before them.
  const hasFailedSoFar = head.accepted === undefined || head.refusal !== undefined;
  const failedAttempts = isRepeated ? head.failedAttempts + 1 : hasFailedSoFar ? head.failedAttempts : 0;
  // The session makes the id differ from that of the same configuration sent to an earlier run of the head.
  const session = sha256(head.session).slice(0, 8);
  const id = [
    name,
    session,
    sha256(desired.text).slice(0, 12),
    String(desired.capacity ?? ''),
    String(failedAttempts),
  ].join('/');
  const { config, capacity } = desired;
  const body = capacity === undefined ? config : { ...config, target_capacity: capacity };
  const command = { kind: 'put-serve', config: JSON.stringify(body) } as const;
  return {
    ...recorded,
    actions: [...recorded.actions, { type: 'ray', id, cluster: name, command }],
    head: { ...head, failedAttempts, inFlight: { ...desired, id, isCapacityOnly } },
  };
}

/** The first repetition has no delay: a restarted head has lost its applications, and waiting would only prolong the outage. */
function backoffAfterMs(failedAttempts: number): number {
  return failedAttempts === 0 ? 0 : Math.min(FIRST_BACKOFF_MS * 2 ** (failedAttempts - 1), MAX_BACKOFF_MS);
}

function resultEvent(
  state: ServiceState,
  { name }: AssignedCluster,
  { isCapacityOnly }: InFlightConfig,
  result: { readonly state: 'done' } | { readonly state: 'failed'; readonly message: string },
): PlannedEvent {
  const cluster = `the RayCluster ${fullName(state, name)}`;
  if (result.state === 'failed') {
    if (!isCapacityOnly) return failedUpdate(state, name, result.message);
    const note = `Failed to update target_capacity of serve applications to ${cluster}: ${result.message}`;
    return warning(Event.FailedToUpdateTargetCapacity, 'Update', note);
  }
  if (!isCapacityOnly) {
    return normal(Event.UpdatedServeApplications, 'Update', `Updated serve applications to ${cluster}`);
  }
  // KubeRay's own wording, doubled word included: users' alerts may match it.
  const note = `Updated target_capacity of serve applications to to ${cluster}`;
  return normal(Event.UpdatedServeTargetCapacity, 'Update', note);
}

function failedUpdate(state: ServiceState, name: string, why: string): PlannedEvent {
  const note = `Failed to update serve applications to the RayCluster ${fullName(state, name)}: ${why}`;
  return warning(Event.FailedToUpdateServeApplications, 'Update', note);
}

/** A configuration that cannot be sent is reported once, not in every reconcile. */
function warnOnce(
  state: ServiceState,
  { name }: AssignedCluster,
  why: string,
): Pick<SubmissionPlan, 'actions' | 'warning'> {
  const id = `${name}: ${why}`;
  if (state.memory.emittedWarnings.includes(id)) return { actions: [], warning: id };
  return { actions: [{ type: 'event', event: failedUpdate(state, name, why) }], warning: id };
}
