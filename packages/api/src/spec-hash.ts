import { canonicalJson } from './canonical-json.ts';
import { parseGoInt } from './go-int.ts';
import { isRecord } from './loose.ts';
import { formatQuantity, parseQuantity } from './quantity.ts';
import type { RayClusterSpec, WorkerGroupSpec } from './raycluster.ts';
import { sha256 } from './sha256.ts';

/**
 * Marks a hash as ours and of this kind. Another kind, be it another operator's or a later one of our own, can't be
 * compared with it and is adopted instead.
 */
const PREFIX = 'm3-';
const HASH_LENGTH = 40;
const OF_ANY_KIND = /^m\d+-[0-9a-f]{40}$/;

/** Which spec a hash stands for. */
export interface HashScope {
  /** A RayService suspends its clusters itself, so the clusters' own `suspend` is no change of the spec. */
  readonly ignoreSuspend?: boolean;
  /** Look at this many worker groups only, the first ones. */
  readonly firstGroups?: number;
}

/** What an earlier pass left on an object about the spec it was made from. */
export interface SpecStamp {
  readonly hash: string | undefined;
  readonly operatorVersion: string | undefined;
}

/** The same for the RayCluster of a RayService, which also knows how many worker groups there were. */
export interface ServiceSpecStamp extends SpecStamp {
  readonly workerGroupCount: string | undefined;
}

/**
 * How a spec relates to the stamp of what runs. `foreign`: the stamp is missing, from another operator or from another
 * version of ours. It tells nothing; stamp the object anew and touch no pod.
 */
export type SpecComparison = 'same' | 'different' | 'foreign';

/** `appended-groups`: only worker groups were added at the end, so the cluster can take the spec as it is. */
export type ServiceSpecComparison = SpecComparison | 'appended-groups';

/**
 * Hash of what pods are made from. It leaves out what may change without new pods: replica counts, pods to delete, the
 * upgrade strategy, and the tolerations and scheduling gates that queueing systems write.
 */
export function specHash(spec: RayClusterSpec, scope: HashScope = {}): string {
  return PREFIX + sha256(canonicalJson(normalize(withoutMuted(spec, scope)))).slice(0, HASH_LENGTH);
}

/** Compares a RayCluster's spec with the stamp on its head pod. A hash of our kind tells even where the version was taken off. */
export function compareSpec(spec: RayClusterSpec, stamp: SpecStamp, operatorVersion: string): SpecComparison {
  if (isForeign({ ...stamp, operatorVersion: stamp.operatorVersion ?? operatorVersion }, operatorVersion))
    return 'foreign';
  return stamp.hash === specHash(spec) ? 'same' : 'different';
}

/** Compares the spec that a RayService wants with the stamp on its RayCluster. */
export function compareServiceSpec(
  spec: RayClusterSpec,
  stamp: ServiceSpecStamp,
  operatorVersion: string,
): ServiceSpecComparison {
  if (isForeign(stamp, operatorVersion)) return 'foreign';
  if (stamp.hash === specHash(spec, { ignoreSuspend: true })) return 'same';
  const count = parseGoInt(stamp.workerGroupCount ?? '');
  if (!count.ok) return 'appended-groups';
  const isLonger = count.value >= 0 && (spec.workerGroupSpecs ?? []).length > count.value;
  if (!isLonger) return 'different';
  const firstGroups = specHash(spec, { ignoreSuspend: true, firstGroups: count.value });
  return stamp.hash === firstGroups ? 'appended-groups' : 'different';
}

/** True of hashes that this operator makes, or has made when it hashed otherwise: nobody else has put them there. */
export function isHashOfOurs(hash: string): boolean {
  return OF_ANY_KIND.test(hash);
}

function isForeign(stamp: SpecStamp, operatorVersion: string): boolean {
  return stamp.operatorVersion !== operatorVersion || !isOurHash(stamp.hash);
}

function isOurHash(hash: string | undefined): boolean {
  return hash?.startsWith(PREFIX) === true && hash.length === PREFIX.length + HASH_LENGTH;
}

function withoutMuted(spec: RayClusterSpec, scope: HashScope): unknown {
  const { upgradeStrategy: _, suspend, headGroupSpec, workerGroupSpecs, ...rest } = spec;
  const groups = Array.isArray(workerGroupSpecs) ? workerGroupSpecs : [];
  return {
    ...rest,
    suspend: scope.ignoreSuspend === true ? undefined : suspend,
    headGroupSpec: withoutMutedTemplate(headGroupSpec),
    workerGroupSpecs: groups.slice(0, scope.firstGroups).map(withoutMutedGroup),
  };
}

function withoutMutedGroup(group: WorkerGroupSpec): unknown {
  if (!isRecord(group)) return group;
  const { replicas: _r, minReplicas: _min, maxReplicas: _max, scaleStrategy, ...rest } = group;
  if (!isRecord(scaleStrategy)) return withoutMutedTemplate(rest);
  const { workersToDelete: _w, ...strategy } = scaleStrategy;
  return withoutMutedTemplate({ ...rest, scaleStrategy: strategy });
}

function withoutMutedTemplate(group: unknown): unknown {
  if (!isRecord(group) || !isRecord(group['template']) || !isRecord(group['template']['spec'])) return group;
  const { tolerations: _t, schedulingGates: _g, ...podSpec } = group['template']['spec'];
  return { ...group, template: { ...group['template'], spec: podSpec } };
}

/** Objects that say nothing when they are empty: writing `{}` there, or nothing, is no change. */
const MEANINGLESS_WHEN_EMPTY: ReadonlySet<string> = new Set([
  'annotations',
  'headServiceAnnotations',
  'labels',
  'limits',
  'matchLabels',
  'metadata',
  'nodeSelector',
  'overhead',
  'rayStartParams',
  'requests',
  'resources',
  'scaleStrategy',
  'spec',
]);
/** Options of containers that we add ourselves: empty resources there mean none, no resources mean the usual ones. */
const OPTIONS_OF_SIDECARS: ReadonlySet<string> = new Set(['autoscalerOptions', 'collectorOptions']);
/** Words of a pod that mean what leaving them out means, and that the first program which goes through the API's types drops. */
const MEANINGLESS_WHEN_ZERO: ReadonlySet<string> = new Set([
  'failureThreshold',
  'hostIPC',
  'hostNetwork',
  'hostPID',
  'hostPort',
  'initialDelaySeconds',
  'periodSeconds',
  'readOnly',
  'stdin',
  'stdinOnce',
  'successThreshold',
  'targetPort',
  'timeoutSeconds',
  'tty',
]);
/** Words for which an empty text is a choice: a storage class of that name means that there is none. */
const MEANT_WHEN_EMPTY: ReadonlySet<string> = new Set(['storageClassName']);
/** Maps whose keys are the user's own: a key there is never one of those above. */
const MAPS_OF_USERS: ReadonlySet<string> = new Set([
  'annotations',
  'headServiceAnnotations',
  'labels',
  'matchLabels',
  'nodeSelector',
  'rayStartParams',
  'volumeAttributes',
]);
const QUANTITY_MAPS: ReadonlySet<string> = new Set(['limits', 'requests']);

/** Irons out spellings that mean the same, since a hash over them would replace pods for nothing. */
function normalize(value: unknown, at = ''): unknown {
  if (Array.isArray(value)) return value.map((item) => normalize(item));
  if (!isRecord(value)) return value;
  const members = Object.entries(value).map(([key, member]): [string, unknown] => [
    key,
    normalizeMember(key, member, at),
  ]);
  return Object.fromEntries(members);
}

function normalizeMember(key: string, member: unknown, parent: string): unknown {
  const normal = QUANTITY_MAPS.has(key)
    ? normalizeQuantities(member)
    : MAPS_OF_USERS.has(key)
      ? member
      : normalize(member, key);
  if (Array.isArray(normal)) return normal.length === 0 ? undefined : normal;
  return saysNothing(key, normal, parent) ? undefined : normal;
}

function saysNothing(key: string, value: unknown, parent: string): boolean {
  if (value === '') return !MEANT_WHEN_EMPTY.has(key);
  if (isEmpty(value)) return MEANINGLESS_WHEN_EMPTY.has(key) && !OPTIONS_OF_SIDECARS.has(parent);
  return MEANINGLESS_WHEN_ZERO.has(key) && isZero(value);
}

function isEmpty(value: unknown): boolean {
  return isRecord(value) && Object.values(value).every((member) => member === undefined || member === null);
}

function isZero(value: unknown): boolean {
  return value === false || value === 0;
}

function normalizeQuantities(value: unknown): unknown {
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, quantity]) => [key, normalizeQuantity(quantity)]));
}

function normalizeQuantity(value: unknown): unknown {
  if (typeof value !== 'string' && typeof value !== 'number') return value;
  const amount = parseQuantity(value);
  return amount.ok ? formatQuantity({ nanos: amount.value.nanos, format: 'DecimalSI' }) : value;
}
