import { Annotation, type Condition, type RayCluster, type RayService } from '@manta/api';

/** How far a rollout is. */
export type RolloutState =
  | { readonly kind: 'done'; readonly text: string }
  | { readonly kind: 'under way'; readonly text: string }
  | { readonly kind: 'failed'; readonly text: string };

/** A RayService is rolled out when it is ready, has no pending cluster, and the operator has seen its newest spec. */
export function serviceRollout({ metadata, spec, status }: RayService): RolloutState {
  const condition = (type: string) => status?.conditions?.find((one) => one.type === type);
  const isTrue = (type: string) => condition(type)?.status === 'True';
  const { activeServiceStatus: active, pendingServiceStatus: pending, observedGeneration = 0 } = status ?? {};
  if (observedGeneration < (metadata?.generation ?? 0))
    return { kind: 'under way', text: 'the operator has not seen the newest spec yet' };
  if (spec?.suspend === true) return { kind: 'failed', text: 'the service is suspended' };
  const failed = failureOf(condition('Ready'));
  if (failed !== undefined) return { kind: 'failed', text: failed };
  if (isTrue('RollbackInProgress'))
    return { kind: 'failed', text: `the operator rolls back: ${condition('RollbackInProgress')?.message ?? ''}` };
  const isNoted = metadata?.annotations?.[Annotation.FailedUpgrade] !== undefined;
  if (isNoted && (pending?.rayClusterName ?? '') === '')
    return { kind: 'failed', text: 'the upgrade was rolled back because it made no progress' };
  if ((pending?.rayClusterName ?? '') !== '')
    return { kind: 'under way', text: `pending cluster ${pending?.rayClusterName}${progressOf(pending)}` };
  if (isTrue('Ready')) return { kind: 'done', text: `cluster ${active?.rayClusterName} serves` };
  const { message, reason } = condition('Ready') ?? {};
  return { kind: 'under way', text: message || reason || 'the operator has not created a cluster yet' };
}

const FAILURES = new Set(['ValidationFailed', 'InitializingTimeout', 'ProgressDeadlineExceeded', 'GatewayApiNotFound']);

function failureOf(ready: Condition | undefined): string | undefined {
  if (ready === undefined || ready.status === 'True' || !FAILURES.has(ready.reason)) return undefined;
  return `${ready.reason}: ${ready.message}`;
}

function progressOf(pending: NonNullable<RayService['status']>['pendingServiceStatus']): string {
  const { trafficRoutedPercent, targetCapacity, rayClusterStatus, applicationStatuses } = pending ?? {};
  if (trafficRoutedPercent !== undefined)
    return `: ${trafficRoutedPercent} % of traffic, ${targetCapacity ?? 0} % of capacity`;
  if (rayClusterStatus?.state !== 'ready') return ' starts';
  const apps = Object.entries(applicationStatuses ?? {});
  const running = apps.filter(([, app]) => app.status === 'RUNNING').length;
  return apps.length === 0 ? ' has no applications yet' : `: ${running} of ${apps.length} applications run`;
}

/** A RayCluster is rolled out when all its pods are ready with the newest spec. */
export function clusterRollout({ metadata, spec, status }: RayCluster): RolloutState {
  if ((status?.observedGeneration ?? 0) < (metadata?.generation ?? 0))
    return { kind: 'under way', text: 'the operator has not seen the newest spec yet' };
  if (spec?.suspend === true) return { kind: 'failed', text: 'the cluster is suspended' };
  const isProvisioned = status?.conditions?.some(
    ({ type, status: value }) => type === 'RayClusterProvisioned' && value === 'True',
  );
  const { readyWorkerReplicas = 0, desiredWorkerReplicas = 0, state, reason } = status ?? {};
  const workers = `${readyWorkerReplicas} of ${desiredWorkerReplicas} workers ready`;
  if (isProvisioned === true && state === 'ready' && readyWorkerReplicas >= desiredWorkerReplicas)
    return { kind: 'done', text: workers };
  const trouble = status?.conditions?.find(({ type, status: value }) => type === 'ReplicaFailure' && value === 'True');
  const detail = trouble?.message ?? reason ?? '';
  return { kind: 'under way', text: `${workers}${detail === '' ? '' : `: ${detail}`}` };
}
