import { clusterObjectNames, isAutoscalingEnabled, RayClusterEventReason, type RayClusterSpec } from '@manta/api';
import { wantsAuthSecret } from '../build/auth-secret.ts';
import { ownServiceAccount } from '../build/autoscaler-access.ts';
import { type Action, warning } from '../plan.ts';
import { fullName } from '../shared/names.ts';
import type { ClusterState } from './cluster-state.ts';
import { derivedSuffix } from './derived-names.ts';
import type { NamedRecord } from './observed.ts';

/** Length of the cluster's name that fits beside a hyphen and the suffix. */
const KEPT = 44;
/** By then the cache shows which cluster was first. */
const SETTLED_MS = 3000;
const NAMED_KINDS: ReadonlySet<string> = new Set(['ServiceAccount', 'Role', 'RoleBinding', 'Secret']);

/** Name of the objects if another cluster has their usual, truncated name; undefined if the usual name is not truncated. */
export function spareObjectName(cluster: string): string | undefined {
  if (usualName(cluster) === cluster) return undefined;
  return `${cluster.slice(0, KEPT)}-${derivedSuffix(cluster)}`;
}

/**
 * The name of the cluster's ServiceAccount, Role, RoleBinding and Secret. Names of more than 50 characters are truncated at their beginning,
 * so two clusters may get the same name. The second one then takes the spare name, unless its pods already use the usual one.
 */
export function objectName(state: ClusterState): string {
  const { name, uid, pods } = state;
  const spare = spareObjectName(name);
  const usual = usualName(name);
  if (spare === undefined) return usual;
  const records = Object.values(neededRecords(state)).flat();
  if (records.some((record) => record.name === spare && record.owner === uid)) return spare;
  // New pods need the same token as existing pods, even if the objects change.
  const own = pods.filter(({ owner }) => owner === uid);
  if (own.length > 0) return own.some(({ knowsSpare }) => knowsSpare) ? spare : usual;
  return records.some((record) => record.name === usual && isOfAnother(state, record)) ? spare : usual;
}

/**
 * Whether new pods have to wait because it is not known yet which cluster owns the objects that they use: another cluster may be creating
 * them at this moment. The wait is bounded, because the cache never shows objects without our label, which users may have created.
 */
export function isNameUndecided(state: ClusterState, children: readonly Action[]): boolean {
  const { name, uid, pods, now, cluster } = state;
  const { status = {} } = cluster;
  const isTried = children.some((action) => action.type === 'create' && NAMED_KINDS.has(action.kind));
  if (!isTried || spareObjectName(name) === undefined || objectName(state) !== usualName(name)) return false;
  if (pods.some(({ owner }) => owner === uid)) return false;
  return Object.keys(status).length === 0 || now - Date.parse(status.lastUpdateTime ?? '') < SETTLED_MS;
}

/** The existing objects with such names that this cluster needs, by kind. */
function neededRecords({ spec, children }: ClusterState): Readonly<Record<string, readonly NamedRecord[]>> {
  return {
    ...(needsAccount(spec) ? { ServiceAccount: children.serviceAccounts } : {}),
    ...(isAutoscalingEnabled(spec) ? { Role: children.roles, RoleBinding: children.roleBindings } : {}),
    ...(wantsAuthSecret(spec) ? { Secret: children.secrets } : {}),
  };
}

/** The spec from which pods are built: it names the ServiceAccount and the Secret if their names are not the usual ones. */
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

/** Belongs to another cluster, but not to a deleted one of the same name. */
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
 * Warns about a cluster whose pods use objects of another cluster, because both truncated names are the same. That works until the owner
 * is deleted and Kubernetes deletes its objects.
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
