import type { KubeObject, RayCluster, RayJob } from '@manta/api';
import { rayClusterSpec, workerGroup } from '@manta/api/testing';
import type { AccessQuestion } from '@manta/kube';
import { describePermission } from '@manta/operator';
import { type Action, schedulerOf } from '@manta/plan';
import { GANG_TYPES } from '../../packages/operator/src/observe/gang-cache.ts';
import { gangOf } from '../../packages/plan/src/scheduling/gang.ts';
import type {
  BatchScheduler,
  BatchSchedulerName,
  GangKind,
  GangOwner,
  GangRecord,
} from '../../packages/plan/src/scheduling/scheduler.ts';
import { buildContext } from '../../packages/plan/src/testing/build-context.ts';

const PROTECTION = 'scheduling.k8s.io/podgroup-protection';
const metadata = {
  name: 'demo',
  namespace: 'ml',
  uid: 'owner',
  labels: { 'ray.io/gang-scheduling-enabled': 'true' },
};

/** What a scheduler's objects take: those of a cluster and of a job are made, their number of pods changes, and they go. */
export function gangPermissions(name: BatchSchedulerName): ReadonlySet<string> {
  const scheduler = schedulerOf({ batchScheduler: name });
  if (scheduler === undefined) throw new Error(`there is no scheduler ${name}`);
  const owners = ['RayCluster', 'RayJob'] as const;
  const actions = owners.flatMap((kind) => lifeOf(scheduler, kind));
  const followed = scheduler.objects.flatMap(({ kind }) => ['list', 'watch'].map((verb) => on(verb, kind)));
  return new Set([...followed, ...actions.flatMap(needs)].map(describePermission));
}

/** Every action from the first object to the last. */
function lifeOf(scheduler: BatchScheduler, kind: GangOwner['kind']): readonly Action[] {
  const all: Action[] = [];
  let seen: readonly GangRecord[] = [];
  // One that cannot be changed goes first, and comes again when that is seen.
  for (const [replicas, isWanted] of [
    [1, true],
    [2, true],
    [2, false],
  ] as const)
    for (let pass = 0; pass < 5; pass += 1) {
      const actions = scheduler.plan(gangWith(kind, replicas), seen, isWanted);
      all.push(...actions);
      seen = actions.reduce(applied, seen);
    }
  return all;
}

function gangWith(kind: GangOwner['kind'], replicas: number) {
  const spec = rayClusterSpec({ workerGroupSpecs: [workerGroup('small', { replicas })] });
  const cluster: RayCluster = { metadata, spec };
  const job: RayJob = { metadata, spec: { rayClusterSpec: spec } };
  const owner: GangOwner = kind === 'RayJob' ? { kind, object: job } : { kind, object: cluster };
  return gangOf(owner, cluster, spec, buildContext());
}

function applied(seen: readonly GangRecord[], action: Action): readonly GangRecord[] {
  if (action.type === 'create' && isGangKind(action.kind)) {
    const { kind } = action;
    return [...seen, ...action.objects.map((object) => ({ kind, object: protectedBy(kind, object) }))];
  }
  const others = seen.filter(
    ({ kind, object }) => !('kind' in action) || kind !== action.kind || !isOf(action, object),
  );
  if (action.type === 'delete') return others;
  if (action.type === 'update' && isGangKind(action.kind))
    return [...others, { kind: action.kind, object: action.object }];
  return seen;
}

/** As the scheduler's own admission leaves it. */
function protectedBy(kind: GangKind, object: KubeObject): KubeObject {
  if (kind !== 'WorkloadPodGroup') return object;
  return { ...object, metadata: { ...object.metadata, finalizers: [PROTECTION] } };
}

function isOf(action: Action, { metadata: live }: KubeObject): boolean {
  if (action.type === 'update') return action.object.metadata?.name === live?.name;
  return 'name' in action && action.name === live?.name;
}

function isGangKind(kind: string): kind is GangKind {
  return Object.hasOwn(GANG_TYPES, kind);
}

function needs(action: Action): readonly AccessQuestion[] {
  if (!('kind' in action) || !isGangKind(action.kind)) return [];
  const looks = action.type === 'create' && action.whenExists === 'fine-if-ours' ? [on('get', action.kind)] : [];
  return [on(action.type, action.kind), ...looks];
}

function on(verb: string, kind: GangKind): AccessQuestion {
  const { group, plural } = GANG_TYPES[kind];
  return { verb, group, resource: plural };
}
