import type { KubeObject } from '@manta/api';
import { apiVersionOf, type Clock, type KubeClient, type ObjectRef, type ResourceType, resources } from '@manta/kube';
import type { CreateAction, PlannedEvent, RayAction, WrittenKind } from '@manta/plan';
import { type EventRecorder, type Informer, type ReconcileContext, toKey } from '@manta/runtime';
import { GANG_TYPES } from '../observe/gang-cache.ts';
import { GONE } from './rewrite.ts';

/** What carrying out a plan needs: the reconciled object, the client, and the informers that will show the result. */
export interface Actor {
  readonly client: KubeClient;
  /** Measures how long the API server takes. */
  readonly clock: Pick<Clock, 'now'>;
  readonly kind: WrittenKind;
  /** As it was observed; after a write of ours to the object itself, as that write left it. */
  object: KubeObject;
  readonly events: EventRecorder;
  readonly context: Pick<ReconcileContext, 'wrote' | 'deleted' | 'signal' | 'log'>;
  readonly informerOf: (kind: WrittenKind) => Informer | undefined;
  /** Hands a command to a Ray head without waiting for the answer; absent for kinds that send Ray no commands. */
  readonly askRay?: (action: RayAction) => void;
  /** Asked just before a creation: whether the plan is known to be outdated by now; absent: never. */
  readonly isOutdated?: (action: CreateAction) => boolean;
}

export const TYPES: Readonly<Record<WrittenKind, ResourceType>> = {
  RayCluster: resources.rayClusters,
  RayJob: resources.rayJobs,
  RayService: resources.rayServices,
  RayCronJob: resources.rayCronJobs,
  Gateway: resources.gateways,
  HTTPRoute: resources.httpRoutes,
  PodDisruptionBudget: resources.podDisruptionBudgets,
  NetworkPolicy: resources.networkPolicies,
  Certificate: resources.certificates,
  Issuer: resources.issuers,
  Pod: resources.pods,
  Service: resources.services,
  ServiceAccount: resources.serviceAccounts,
  Role: resources.roles,
  RoleBinding: resources.roleBindings,
  Ingress: resources.ingresses,
  Route: resources.routes,
  Secret: resources.secrets,
  PersistentVolumeClaim: resources.persistentVolumeClaims,
  Job: resources.jobs,
  ...GANG_TYPES,
};

/** Informs the write barrier, so that the next reconcile waits until the cache shows this write. */
export function recordWrite(actor: Actor, kind: WrittenKind, written: KubeObject): void {
  if (kind === actor.kind && written.metadata?.uid === actor.object.metadata?.uid) actor.object = written;
  const informer = actor.informerOf(kind);
  if (informer === undefined) return;
  const { name = '', uid = '', deletionTimestamp, finalizers = [] } = written.metadata ?? {};
  // Removing the last finalizer of a custom resource that is being deleted ends it; the cache then has to show its deletion.
  const isLastFinalizer = kind === actor.kind && deletionTimestamp !== undefined && finalizers.length === 0;
  if (isLastFinalizer) actor.context.deleted(informer, toKey(namespaceOf(actor), name), uid, GONE);
  else actor.context.wrote(informer, written);
}

export function refOf(actor: Actor, name: string): ObjectRef {
  return { namespace: namespaceOf(actor), name };
}

export function namespaceOf({ object }: Actor): string {
  return object.metadata?.namespace ?? '';
}

/** Emits an event about the reconciled object. */
export function emit({ events, kind, object }: Actor, { severity, reason, action, note }: PlannedEvent): void {
  const { name = '', namespace, uid, resourceVersion } = object.metadata ?? {};
  const regarding = { apiVersion: apiVersionOf(TYPES[kind]), kind, name, namespace, uid, resourceVersion };
  events.event({ regarding, type: severity, reason, action, note });
}
