import {
  isManagedExternally,
  isRecord,
  isSameJson,
  type NetworkPolicy,
  type RayCluster,
  NetworkPolicyEventReason as Reason,
  withRayClusterDefaults,
} from '@manta/api';
import { deleteOwn, isOwn, updateOwn } from '../ownership.ts';
import { type Action, NOTHING, normal, type Plan, warning } from '../plan.ts';
import type { ObservedRayCluster } from '../raycluster/observed.ts';
import { isValidCluster } from '../raycluster/validation.ts';
import { buildNetworkPolicies } from './policies.ts';

/** Everything a decision about the NetworkPolicies of a RayCluster needs. */
export interface ObservedNetworkPolicies extends Pick<ObservedRayCluster, 'cluster' | 'context' | 'installed'> {
  /** Those with the cluster's label, or with a name that one of its policies needs. */
  readonly policies: readonly NetworkPolicy[];
}

/** How often to check whether a name that another object holds has become free. */
const REQUEUE_MS = 30_000;

/** Creates and updates the NetworkPolicies of a RayCluster, and deletes others that it owns. */
export function planNetworkPolicies(observed: ObservedNetworkPolicies): Plan {
  const cluster = withRayClusterDefaults(observed.cluster);
  if (cluster.spec === undefined || isManagedExternally(cluster.spec)) return NOTHING;
  if (cluster.metadata?.deletionTimestamp !== undefined) return NOTHING;
  // An invalid cluster keeps its pods, and so its NetworkPolicies.
  if (!isValidCluster({ ...observed, cluster })) return NOTHING;
  const wanted = buildNetworkPolicies(cluster, cluster.spec);
  const taken = wanted.filter((policy) => isForeign(cluster, find(observed.policies, policy)));
  const collisions = taken.map(warnAboutCollision);
  // Without the head's policy none is created; without one group's policy the others still are.
  if (taken.some((policy) => policy === wanted[0])) return { actions: collisions, requeueAfterMs: REQUEUE_MS };
  const names = new Set(wanted.map(nameIn));
  const superfluous = observed.policies.filter(
    (policy) => isOwn(cluster.metadata?.uid ?? '', policy) && !names.has(nameIn(policy)),
  );
  const actions = [
    ...collisions,
    ...wanted
      .filter((policy) => !taken.includes(policy))
      .flatMap((policy) => bringUp(cluster, policy, find(observed.policies, policy))),
    ...superfluous.flatMap((policy) => remove(cluster, policy)),
  ];
  return taken.length === 0 ? { actions } : { actions, requeueAfterMs: REQUEUE_MS };
}

function bringUp({ metadata }: RayCluster, wanted: NetworkPolicy, live: NetworkPolicy | undefined): readonly Action[] {
  const policyName = `NetworkPolicy ${fullName(wanted)}`;
  if (live === undefined) {
    const done = normal(Reason.CreatedNetworkPolicy, 'Create', `Created ${policyName}`);
    const failed = warning(Reason.FailedToCreateNetworkPolicy, 'Create', `Failed to create ${policyName}:`);
    return [
      { type: 'create', kind: 'NetworkPolicy', objects: [wanted], whenExists: 'fine-if-ours', done, failed, ...ALONE },
    ];
  }
  if (isSame(live, wanted)) return [];
  const labels = { ...live.metadata?.labels, ...wanted.metadata?.labels };
  const object = { ...live, metadata: { ...live.metadata, labels }, ...(wanted.spec ? { spec: wanted.spec } : {}) };
  const done = normal(Reason.UpdatedNetworkPolicy, 'Update', `Updated ${policyName}`);
  const failed = warning(Reason.FailedToUpdateNetworkPolicy, 'Update', `Failed to update ${policyName}:`);
  return updateOwn(metadata?.uid ?? '', 'NetworkPolicy', live, object, { done, failed, ...ALONE });
}

/** A failure with one policy does not affect the others. */
const ALONE = { continueOnFailure: true } as const;

function remove({ metadata }: RayCluster, policy: NetworkPolicy): readonly Action[] {
  const policyName = `NetworkPolicy ${fullName(policy)}`;
  const done = normal(Reason.DeletedNetworkPolicy, 'Delete', `Deleted ${policyName}`);
  const failed = warning(Reason.FailedToDeleteNetworkPolicy, 'Delete', `Failed to delete ${policyName}:`);
  return deleteOwn(metadata?.uid ?? '', 'NetworkPolicy', policy, { done, failed, ...ALONE });
}

function warnAboutCollision(policy: NetworkPolicy): Action {
  const note = `NetworkPolicy ${fullName(policy)} already exists and is not owned by this RayCluster, network isolation will not be applied. Rename the existing NetworkPolicy or use a different RayCluster name to avoid the collision`;
  return { type: 'event', event: warning(Reason.NetworkPolicyNameCollision, 'Validate', note) };
}

/** Keeps labels that others added. */
function isSame(live: NetworkPolicy, { metadata, spec }: NetworkPolicy): boolean {
  const hasLabels = Object.entries(metadata?.labels ?? {}).every(
    ([key, value]) => live.metadata?.labels?.[key] === value,
  );
  return hasLabels && isSameJson(asStored(live.spec), asStored(spec));
}

/** The API server drops empty lists and label maps. An empty selector or rule has a meaning and is kept. */
function asStored(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(asStored);
  if (!isRecord(value)) return value;
  const kept = Object.entries(value).filter(([key, content]) => !isLeftOut(key, content));
  return Object.fromEntries(kept.map(([key, content]) => [key, asStored(content)]));
}

function isLeftOut(key: string, content: unknown): boolean {
  if (Array.isArray(content)) return content.length === 0;
  return key === 'matchLabels' && isRecord(content) && Object.keys(content).length === 0;
}

function find(policies: readonly NetworkPolicy[], wanted: NetworkPolicy): NetworkPolicy | undefined {
  return policies.find((policy) => nameIn(policy) === nameIn(wanted));
}

function isForeign(cluster: RayCluster, policy: NetworkPolicy | undefined): boolean {
  return policy !== undefined && !isOwn(cluster.metadata?.uid ?? '', policy);
}

function nameIn({ metadata }: NetworkPolicy): string {
  return metadata?.name ?? '';
}

function fullName({ metadata }: NetworkPolicy): string {
  return `${metadata?.namespace ?? ''}/${metadata?.name ?? ''}`;
}
