import { MAX_INT32, type RayCluster, type WorkerGroupSpec } from '@manta/api';
import { isConflict, resources } from '@manta/kube';
import { CliError, failedTo, usageError } from '../cli-error.ts';
import { FIELD_MANAGER } from '../field-manager.ts';
import type { Invocation } from '../invocation.ts';

export interface ScaleFlags {
  readonly workerGroup: string;
  /** -1 is not given, like an absent flag. */
  readonly replicas?: number;
  readonly minReplicas?: number;
  readonly maxReplicas?: number;
}

type Counts = Pick<WorkerGroupSpec, 'replicas' | 'minReplicas' | 'maxReplicas'>;

const ATTEMPTS = 5;

/** `scale cluster NAME`: changes the replica counts of one worker group. A conflict with another writer is retried on the newer object. */
export async function scaleCluster(call: Invocation, name: string, flags: ScaleFlags): Promise<void> {
  const asked = askedCounts(flags);
  const namespace = await call.namespace();
  const where = `worker group ${flags.workerGroup} in Ray cluster ${name} in namespace ${namespace}`;
  const client = await call.client();
  for (let attempt = 1; ; attempt++) {
    const cluster = await client.get(resources.rayClusters, { namespace, name }).catch((error: unknown) => {
      throw failedTo(`failed to scale ${where}`, error);
    });
    const { changed, changes } = scaled(
      cluster,
      flags.workerGroup,
      asked,
      `Ray cluster ${name} in namespace ${namespace}`,
    );
    if (changes.length === 0) {
      call.print(
        `Worker group ${flags.workerGroup} in Ray cluster ${name} in namespace ${namespace} already matches the requested configuration. Skipping.`,
      );
      return;
    }
    try {
      await client.update(resources.rayClusters, changed, { fieldManager: FIELD_MANAGER });
    } catch (error) {
      if (isConflict(error) && attempt < ATTEMPTS) continue;
      throw failedTo(`failed to update ${where}`, error);
    }
    call.print(`Updated ${where} (${changes.join(', ')})`);
    if (cluster.spec?.enableInTreeAutoscaling === true && asked.replicas !== undefined)
      call.say(
        `warning: the autoscaler of Ray cluster ${name} may change the number of replicas again; --min-replicas and --max-replicas bound it.`,
      );
    return;
  }
}

/** The counts that were given, checked against each other. */
export function askedCounts({ workerGroup, replicas, minReplicas, maxReplicas }: ScaleFlags): Counts {
  if (workerGroup === '') throw usageError('must specify -w/--worker-group');
  const given = Object.entries({
    '--replicas': replicas,
    '--min-replicas': minReplicas,
    '--max-replicas': maxReplicas,
  }).filter(([, value]) => value !== undefined && value !== -1);
  if (given.length === 0)
    throw usageError(
      'must specify at least one of --replicas, --min-replicas, or --max-replicas (non-negative integers)',
    );
  for (const [flag, value] of given)
    if (value !== undefined && value < 0) throw usageError(`${flag} must be a non-negative integer`);
  const counts = {
    ...(isGiven(replicas) && { replicas }),
    ...(isGiven(minReplicas) && { minReplicas }),
    ...(isGiven(maxReplicas) && { maxReplicas }),
  };
  checkOrder(counts, 'cannot be');
  return counts;
}

const isGiven = (count: number | undefined): count is number => count !== undefined && count >= 0;

/** Minimum ≤ replicas ≤ maximum, as far as they are known. */
function checkOrder(counts: Counts, verb: 'cannot be' | 'cannot set'): void {
  const { replicas, minReplicas = 0, maxReplicas = MAX_INT32 } = counts;
  const problem = (flag: string, value: number, relation: string, other: string, bound: number) =>
    verb === 'cannot be'
      ? `${flag} (${value}) cannot be ${relation} ${other} (${bound})`
      : `cannot set ${flag} (${value}) ${relation} ${other} (${bound})`;
  if (minReplicas > maxReplicas)
    throw usageError(problem('--min-replicas', minReplicas, 'greater than', '--max-replicas', maxReplicas));
  if (replicas === undefined) return;
  if (replicas < minReplicas)
    throw usageError(problem('--replicas', replicas, 'less than', '--min-replicas', minReplicas));
  if (replicas > maxReplicas)
    throw usageError(problem('--replicas', replicas, 'greater than', '--max-replicas', maxReplicas));
}

const LABELS: readonly (readonly [keyof Counts, string, number])[] = [
  ['minReplicas', 'minReplicas', 0],
  ['maxReplicas', 'maxReplicas', MAX_INT32],
  ['replicas', 'Replicas', 0],
];

function scaled(
  cluster: RayCluster,
  groupName: string,
  asked: Counts,
  where: string,
): { readonly changed: RayCluster; readonly changes: readonly string[] } {
  const { spec } = cluster;
  const groups = spec?.workerGroupSpecs ?? [];
  const group = groups.find((one) => one.groupName === groupName);
  if (spec === undefined || group === undefined) {
    const available = groups.map((one) => one.groupName).join(', ');
    throw new CliError(`worker group ${groupName} not found in ${where}. Available worker groups: ${available}`);
  }
  const changes = LABELS.flatMap(([field, label, unset]) => {
    const [before, after] = [group[field] ?? unset, asked[field]];
    return after === undefined || after === before ? [] : [`Scaled ${label}: ${before} to ${after}`];
  });
  const merged = { ...group, ...asked };
  checkOrder({ ...merged, replicas: merged.replicas ?? 0 }, 'cannot set');
  const workerGroupSpecs = groups.map((one) => (one === group ? merged : one));
  return { changed: { ...cluster, spec: { ...spec, workerGroupSpecs } }, changes };
}
