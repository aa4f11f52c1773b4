import {
  desiredWorkerPods,
  type HeadInfo,
  isSameJson,
  maxWorkerPods,
  minWorkerPods,
  type RayClusterState,
  type RayClusterStatus,
  type StringMap,
  timestamp,
} from '@manta/api';
import type { PlanOutcome } from '../plan.ts';
import type { ClusterState } from './cluster-state.ts';
import { headServicesOf } from './cluster-state.ts';
import { rayClusterConditions } from './conditions.ts';
import { lastHeadName } from './head-name.ts';
import type { ServiceRecord } from './observed.ts';
import { areAllPodsRunning, availableWorkers, headsOf, readyWorkers } from './pods.ts';
import { desiredResources } from './resources.ts';
import { statusReason } from './trouble.ts';

/** The status after a plan was carried out with this outcome; undefined when nothing changes. */
export function rayClusterStatus(seen: ClusterState, outcome: PlanOutcome): RayClusterStatus | undefined {
  const state = { ...seen, pods: seen.pods.filter(({ owner }) => owner === undefined || owner === seen.uid) };
  const { cluster, spec, pods, now } = state;
  const before = cluster.status ?? {};
  const [service] = headServicesOf(state);
  const reported = reportedState(state, outcome);
  const conditions = rayClusterConditions(state, outcome);
  const after = withoutZeros({
    ...before,
    ...desiredResources(spec),
    ...(reported === undefined ? {} : { state: reported }),
    reason: reasonOf(state, reported, conditions) ?? '',
    desiredWorkerReplicas: desiredWorkerPods(spec),
    minWorkerReplicas: minWorkerPods(spec),
    maxWorkerReplicas: maxWorkerPods(spec),
    readyWorkerReplicas: readyWorkers(pods),
    availableWorkerReplicas: availableWorkers(pods),
    conditions,
    head: headInfo(state, service),
    ...(service === undefined ? {} : { endpoints: endpointsOf(service) }),
    ...(cluster.metadata?.generation === undefined ? {} : { observedGeneration: cluster.metadata.generation }),
    ...(reported !== undefined && reported !== before.state
      ? { stateTransitionTimes: { ...before.stateTransitionTimes, [reported]: timestamp(now) } }
      : {}),
  });
  if (isSame(before, after)) return undefined;
  return { ...after, lastUpdateTime: timestamp(now) };
}

/** Once ready, a cluster keeps `state: ready`, like with KubeRay: clients rely on it. The conditions report the rest. */
function reportedState(state: ClusterState, outcome: PlanOutcome): RayClusterState | undefined {
  const { spec, pods } = state;
  if (spec.suspend === true && pods.length === 0) return 'suspended';
  return outcome.kind === 'done' && areAllPodsRunning(state) ? 'ready' : undefined;
}

/** What keeps pods from running. It stays until all pods run: a container that crashes again and again runs in between. */
function reasonOf(
  state: ClusterState,
  reported: RayClusterState | undefined,
  conditions: RayClusterStatus['conditions'],
): string | undefined {
  const reason = statusReason(state.pods, conditions);
  const isOver = reported !== undefined || areAllPodsRunning(state);
  return reason ?? (isOver ? '' : state.cluster.status?.reason);
}

function headInfo(state: ClusterState, service: ServiceRecord | undefined): HeadInfo {
  const [head] = headsOf(state.pods);
  const podName = head?.name ?? lastHeadName(state);
  const podIP = head?.podIP ?? '';
  const isHeadless = service?.clusterIP === 'None';
  return {
    ...(podIP === '' ? {} : { podIP }),
    ...(podName === undefined ? {} : { podName }),
    ...serviceInfo(service, isHeadless ? podIP : (service?.clusterIP ?? '')),
  };
}

function serviceInfo(service: ServiceRecord | undefined, serviceIP: string): HeadInfo {
  if (service === undefined) return {};
  return { serviceName: service.name, ...(serviceIP === '' ? {} : { serviceIP }) };
}

/** Where each named port of the head can be reached. */
function endpointsOf({ ports }: ServiceRecord): StringMap {
  const named = ports.filter(({ name }) => name !== '');
  return Object.fromEntries(
    named.map(({ name, nodePort, targetPort }) => [name, String(nodePort || (targetPort ?? ''))]),
  );
}

/** Leaves out empty values and zeros like KubeRay: for clients absent and zero are the same. */
function withoutZeros(status: RayClusterStatus): RayClusterStatus {
  return Object.fromEntries(Object.entries(status).filter(([, value]) => !isEmpty(value)));
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '' || value === 0) return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

/** Whether only the time of the last update differs. */
function isSame(before: RayClusterStatus, after: RayClusterStatus): boolean {
  const timeless = (status: RayClusterStatus) => ({ ...withoutZeros(status), lastUpdateTime: null });
  return isSameJson(timeless(before), timeless(after));
}
