/** Whether pods, Jobs, Gateways and routes are where we want them. */
import type { Job, Pod } from './core.gen.ts';
import { isSet, type Loose, listOf } from './loose.ts';
import type { ObjectMeta } from './meta.ts';

interface TypedCondition {
  readonly type: string;
  readonly status: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
}

/** The part of a Gateway that says whether it carries traffic. */
export interface GatewayLike {
  readonly metadata?: ObjectMeta;
  readonly status?: { readonly conditions?: readonly TypedCondition[] };
}

/** The part of an HTTPRoute that says which Gateways took it. */
export interface HttpRouteLike {
  readonly status?: {
    readonly parents?: readonly {
      readonly parentRef?: { readonly name?: string; readonly namespace?: string };
      readonly conditions?: readonly TypedCondition[];
    }[];
  };
}

/** Is a condition of that type `True`? */
export function isConditionTrue(conditions: Loose<readonly TypedCondition[]>, type: string): boolean {
  return listOf(conditions).find((condition) => condition?.type === type)?.status === 'True';
}

/** Does the pod run, and is it ready? */
export function isPodRunningAndReady(pod: Loose<Pod>): boolean {
  const conditions = listOf(pod?.status?.conditions);
  return (
    isPodRunning(pod) && conditions.some((condition) => condition?.type === 'Ready' && condition.status === 'True')
  );
}

/** Does the pod run, ready or not? */
export function isPodRunning(pod: Loose<Pod>): boolean {
  return pod?.status?.phase === 'Running';
}

/** Do all pods run, with none that says it isn't ready? No pods at all is no; a pod without a word on readiness passes. */
export function areAllPodsRunning(pods: readonly Loose<Pod>[]): boolean {
  return pods.length > 0 && pods.every((pod) => isPodRunning(pod) && !saysNotReady(pod));
}

function saysNotReady(pod: Loose<Pod>): boolean {
  return listOf(pod?.status?.conditions).some(
    (condition) => condition?.type === 'Ready' && condition.status !== 'True',
  );
}

/** How a Job ended, if it did. A failure that is still being carried out counts as failed. */
export function jobOutcome(job: Loose<Job>): 'Complete' | 'Failed' | undefined {
  for (const condition of listOf(job?.status?.conditions)) {
    if (condition?.status !== 'True') continue;
    if (condition.type === 'Complete') return 'Complete';
    if (condition.type === 'Failed' || condition.type === 'FailureTarget') return 'Failed';
  }
  return undefined;
}

/** Has the Gateway been accepted and programmed? */
export function isGatewayReady(gateway: Loose<GatewayLike>): boolean {
  const conditions = gateway?.status?.conditions;
  return isConditionTrue(conditions, 'Accepted') && isConditionTrue(conditions, 'Programmed');
}

/** Has that Gateway accepted the route and found its backends? */
export function isHttpRouteReady(route: Loose<HttpRouteLike>, gateway: Loose<GatewayLike>): boolean {
  const metadata = gateway?.metadata;
  return listOf(route?.status?.parents).some((parent) => {
    const ref = parent?.parentRef;
    if (!isSet(ref?.name) || ref?.name !== metadata?.name) return false;
    if (isSet(ref?.namespace) && ref?.namespace !== metadata?.namespace) return false;
    return isConditionTrue(parent?.conditions, 'Accepted') && isConditionTrue(parent?.conditions, 'ResolvedRefs');
  });
}
