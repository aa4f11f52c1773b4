import {
  desiredWorkerPods,
  type HeadInfo,
  isSameJson,
  maxWorkerPods,
  minWorkerPods,
  type RayClusterState,
  type RayClusterStatus,
  type StringMap,
} from '@manta/api';
import type { PlanOutcome } from '../plan.ts';
import { timestamp } from '../shared/timestamp.ts';
import { rayClusterConditions } from './conditions.ts';
import { areAllPodsThere, availableWorkers, readyWorkers } from './counts.ts';
import { lastHeadName } from './head-name.ts';
import { headServicesOf } from './head-services.ts';
import { headsOf } from './heads.ts';
import type { ServiceRecord } from './observed.ts';
import { desiredResources } from './resources.ts';
import type { Subject } from './subject.ts';

/** The status as it should be once a plan has been carried out; undefined when it is so already. */
export function rayClusterStatus(seen: Subject, outcome: PlanOutcome): RayClusterStatus | undefined {
  const subject = { ...seen, pods: seen.pods.filter(({ owner }) => owner === undefined || owner === seen.uid) };
  const { cluster, spec, pods, now } = subject;
  const before = cluster.status ?? {};
  const [service] = headServicesOf(subject);
  const state = stateOf(subject, outcome);
  const after = withoutZeros({
    ...before,
    ...desiredResources(spec),
    ...(state === undefined ? {} : { state }),
    ...(state === 'ready' ? { reason: '' } : {}),
    desiredWorkerReplicas: desiredWorkerPods(spec),
    minWorkerReplicas: minWorkerPods(spec),
    maxWorkerReplicas: maxWorkerPods(spec),
    readyWorkerReplicas: readyWorkers(pods),
    availableWorkerReplicas: availableWorkers(pods),
    conditions: rayClusterConditions(subject, outcome),
    head: headInfo(subject, service),
    ...(service === undefined ? {} : { endpoints: endpointsOf(service) }),
    ...(cluster.metadata?.generation === undefined ? {} : { observedGeneration: cluster.metadata.generation }),
    ...(state !== undefined && state !== before.state
      ? { stateTransitionTimes: { ...before.stateTransitionTimes, [state]: timestamp(now) } }
      : {}),
  });
  if (isSame(before, after)) return undefined;
  return { ...after, lastUpdateTime: timestamp(now) };
}

/** Once ready a cluster stays so in this field, whatever happens: clients rely on it, and the conditions tell the rest. */
function stateOf(subject: Subject, outcome: PlanOutcome): RayClusterState | undefined {
  const { spec, pods } = subject;
  if (spec.suspend === true && pods.length === 0) return 'suspended';
  return outcome.kind === 'done' && areAllPodsThere(subject) ? 'ready' : undefined;
}

function headInfo(subject: Subject, service: ServiceRecord | undefined): HeadInfo {
  const [head] = headsOf(subject.pods);
  const podName = head?.name ?? lastHeadName(subject);
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

/** The API leaves out what is empty or zero, and so do we: absent and zero are the same to its clients. */
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
