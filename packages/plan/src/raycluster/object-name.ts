import { clusterObjectNames, isAutoscalingEnabled, RayClusterEventReason, type RayClusterSpec } from '@manta/api';
import { wantsAuthSecret } from '../build/auth-secret.ts';
import { ownServiceAccount } from '../build/autoscaler-access.ts';
import { type Action, warning } from '../plan.ts';
import { fullName } from '../shared/names.ts';
import type { ClusterState } from './cluster-state.ts';
import { derivedSuffix } from './derived-names.ts';
import type { NamedRecord } from './observed.ts';

/** So much of a cluster's name is left beside a hyphen and the suffix. */
const KEPT = 44;
/** By then the cache has shown who was first. */
const SETTLED_MS = 3000;
const NAMED_KINDS: ReadonlySet<string> = new Set(['ServiceAccount', 'Role', 'RoleBinding', 'Secret']);

/** What a cluster calls its objects whose usual name, which is cut, another cluster has; undefined where the name is not cut. */
export function spareObjectName(cluster: string): string | undefined {
  if (usualName(cluster) === cluster) return undefined;
  return `${cluster.slice(0, KEPT)}-${derivedSuffix(cluster)}`;
}

/**
 * The name of the cluster's account, role, binding and Secret. Names of more than 50 characters are cut at their beginning, so that two
 * clusters may come to the same; the second then takes another, unless it has pods already, which know the first one. Names of objects
 * that the cluster does not need are nothing to it.
 */
export function objectName(state: ClusterState): string {
  const { name, uid, pods } = state;
  const spare = spareObjectName(name);
  const usual = usualName(name);
  if (spare === undefined) return usual;
  const records = Object.values(neededRecords(state)).flat();
  if (records.some((record) => record.name === spare && record.owner === uid)) return spare;
  // Whatever becomes of the objects, new pods have to find the token that those before them have.
  const own = pods.filter(({ owner }) => owner === uid);
  if (own.length > 0) return own.some(({ knowsSpare }) => knowsSpare) ? spare : usual;
  return records.some((record) => record.name === usual && isOfAnother(state, record)) ? spare : usual;
}

/**
 * Whether pods have to wait because it is not known yet whose the objects are that they would know: another cluster may be making them at
 * this moment. It ends in time, since objects without our label, which users may have made, are never shown.
 */
export function isNameUndecided(state: ClusterState, children: readonly Action[]): boolean {
  const { name, uid, pods, now, cluster } = state;
  const { status = {} } = cluster;
  const isTried = children.some((action) => action.type === 'create' && NAMED_KINDS.has(action.kind));
  if (!isTried || spareObjectName(name) === undefined || objectName(state) !== usualName(name)) return false;
  if (pods.some(({ owner }) => owner === uid)) return false;
  return Object.keys(status).length === 0 || now - Date.parse(status.lastUpdateTime ?? '') < SETTLED_MS;
}

/** By kind, what is there of the objects that this cluster needs under such a name. */
function neededRecords({ spec, children }: ClusterState): Readonly<Record<string, readonly NamedRecord[]>> {
  return {
    ...(needsAccount(spec) ? { ServiceAccount: children.serviceAccounts } : {}),
    ...(isAutoscalingEnabled(spec) ? { Role: children.roles, RoleBinding: children.roleBindings } : {}),
    ...(wantsAuthSecret(spec) ? { Secret: children.secrets } : {}),
  };
}

/** The spec as pods are built from it: it names the account and the Secret where they are not the usual ones. */
export function specForPods(state: ClusterState): RayClusterSpec {
  const { spec, name } = state;
  const used = objectName(state);
  if (used === usualName(name)) return spec;
  const { headGroupSpec } = spec;
  const { template } = headGroupSpec;
  return {
    ...spec,
    ...(wantsAuthSecret(spec) ? { authOptions: { ...spec.authOptions, secretName: used } } : {}),
    ...(needsAccount(spec) && template.spec !== undefined
      ? {
          headGroupSpec: {
            ...headGroupSpec,
            template: { ...template, spec: { ...template.spec, serviceAccountName: used } },
          },
        }
      : {}),
  };
}

/** Belongs to another cluster than this one, and not to one that had its name and is gone. */
function isOfAnother({ uid, name }: ClusterState, { owner, cluster }: NamedRecord): boolean {
  return owner !== undefined && owner !== uid && cluster !== name;
}

function needsAccount(spec: RayClusterSpec): boolean {
  return isAutoscalingEnabled(spec) && ownServiceAccount(spec) === undefined;
}

function usualName(cluster: string): string {
  return clusterObjectNames.role(cluster);
}

/**
 * A cluster whose pods know objects that belong to another, because its name was cut to the same, goes on with them. That works as long
 * as both are there; when the one that owns them goes, they go with it.
 */
export function warnAboutSharedNames(state: ClusterState): readonly Action[] {
  const used = objectName(state);
  if (used === state.name) return [];
  const shared = Object.entries(neededRecords(state)).flatMap(([kind, records]) =>
    records
      .filter((record) => record.name === used && isOfAnother(state, record))
      .map(() => `${kind} ${fullName(state, used)}`),
  );
  if (shared.length === 0) return [];
  const note = `${shared.join(', ')} belong to another object; they go when that goes. Suspend and resume this RayCluster to give it its own, or give one of the two a name of at most 50 characters, or another ending`;
  return [{ type: 'event', event: warning(RayClusterEventReason.SharedObjectNames, 'Validate', note) }];
}
