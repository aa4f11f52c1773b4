import { ApplicationStatus, type RayServiceStatus } from '@manta/api';
import { headPodOf, isHeadReady } from '../serve/serving.ts';
import type { AssignedCluster, ServiceState } from '../service-state.ts';
import { conditionOf, Type } from './set-condition.ts';

/** A start is expected to take this long: until then the Ready condition does not say what the service waits for. */
const USUAL_START_MS = 60_000;

/** What a service waits for, and since when with the restarts of the head. */
export interface Awaited {
  readonly what: string;
  readonly since: string;
}

/**
 * For the Ready condition of a service that is not ready: what it waits for, since when, and how often Ray restarted in the head pod. Undefined
 * during a usual start, so that the condition is not written for each step.
 */
export function awaited(
  state: ServiceState,
  status: { active: RayServiceStatus; pending: RayServiceStatus },
): Awaited | undefined {
  const ready = conditionOf(state.lastStatus.conditions, Type.Ready);
  if (ready?.status !== 'False') return undefined;
  const { lastTransitionTime: since } = ready;
  const cluster = state.active.name === '' ? state.pending : state.active;
  const head = cluster.view === undefined ? undefined : headPodOf(cluster.view);
  const restarts = head?.head?.restarts ?? 0;
  const isUsual = state.now - Date.parse(since) < USUAL_START_MS;
  if (cluster.name === '' || (isUsual && restarts === 0)) return undefined;
  const times = restarts === 1 ? 'once' : `${restarts} times`;
  const restarted = restarts === 0 ? '' : `; Ray restarted ${times} in head Pod ${head?.name ?? ''}`;
  const what = nextStep(state, cluster, cluster.role === 'active' ? status.active : status.pending);
  return { what: `waits for ${what}`, since: `since ${since}${restarted}` };
}

function nextStep(
  state: ServiceState,
  { name, view }: AssignedCluster,
  { applicationStatuses = {} }: RayServiceStatus,
): string {
  if (view === undefined) return `RayCluster ${name}`;
  const head = headPodOf(view);
  if (head === undefined) return `the head Pod of RayCluster ${name}`;
  if (!isHeadReady(state, view)) return `head Pod ${head.name} to become ready`;
  if (view.serve.kind !== 'known') return `Ray Serve to answer on head Pod ${head.name}`;
  const applications = Object.entries(applicationStatuses);
  const pending = applications.find(([, { status }]) => status !== ApplicationStatus.Running);
  if (pending !== undefined) return `application ${pending[0]}, which is ${pending[1].status}`;
  return applications.length === 0 ? `Ray Serve to list an application` : 'a ready Pod behind the serve Service';
}
