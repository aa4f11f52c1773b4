import {
  desiredPods,
  desiredWorkerPods,
  type RayClusterSpec,
  RayClusterUpgradeType,
  type WorkerGroupSpec,
} from '@manta/api';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { group, HEAD, headPod, type ObservedOptions, observed, worker } from '../testing/observed.ts';
import { say } from '../testing/plan-in-words.ts';
import { TinyWorld } from '../testing/tiny-world.ts';
import type { PodRecord } from './observed.ts';

const PASSES = 25;

const anyGroup = (groupName: string): fc.Arbitrary<WorkerGroupSpec> =>
  fc
    .record({
      replicas: fc.nat(4),
      minReplicas: fc.nat(1),
      numOfHosts: fc.constantFrom(1, 1, 2, 3),
      suspend: fc.constantFrom(false, false, false, true),
      named: fc.subarray(['demo-a-0', 'demo-b-1', 'demo-a-2']),
    })
    .map(({ named, ...fields }) =>
      group({ groupName, maxReplicas: 5, ...fields, scaleStrategy: { workersToDelete: named } }),
    );

const anySpec: fc.Arbitrary<RayClusterSpec> = fc
  .record({
    workerGroupSpecs: fc.tuple(fc.option(anyGroup('a')), fc.option(anyGroup('b'))),
    enableInTreeAutoscaling: fc.boolean(),
    suspend: fc.constantFrom(undefined, false, true),
    enableIngress: fc.boolean(),
    storage: fc.constantFrom(undefined, { redisAddress: 'redis:6379' }, {
      backend: 'rocksdb',
      storage: { size: '1Gi' },
    } as const),
    hasToken: fc.boolean(),
    upgrade: fc.constantFrom(undefined, RayClusterUpgradeType.None, RayClusterUpgradeType.Recreate),
    image: fc.constantFrom('ray:1', 'ray:2'),
  })
  .map(({ workerGroupSpecs, suspend, enableIngress, storage, hasToken, upgrade, image, ...rest }) => ({
    rayVersion: '2.52.0',
    ...rest,
    headGroupSpec: { ...HEAD, template: { spec: { containers: [{ name: 'ray', image }] } }, enableIngress },
    workerGroupSpecs: workerGroupSpecs
      .filter((found) => found !== null)
      .map((found) => (rest.enableInTreeAutoscaling ? { ...found, suspend: false } : found)),
    ...(suspend === undefined ? {} : { suspend }),
    ...(storage === undefined ? {} : { gcsFaultToleranceOptions: storage }),
    ...(hasToken ? { authOptions: { mode: 'token' } } : {}),
    ...(upgrade === undefined ? {} : { upgradeStrategy: { type: upgrade } }),
  }));

/** Pods as another operator, or an earlier time, may have left them. */
const anyPods: fc.Arbitrary<readonly PodRecord[]> = fc
  .tuple(
    fc.array(
      fc.record({
        groupName: fc.constantFrom('a', 'b', 'lost'),
        index: fc.option(fc.nat(3), { nil: undefined }),
        phase: fc.constantFrom('Running', 'Pending', 'Failed'),
        isTerminating: fc.boolean(),
      }),
      { maxLength: 6 },
    ),
    fc.array(fc.record({ phase: fc.constantFrom('Running', 'Failed'), isTerminating: fc.boolean() }), { maxLength: 1 }),
  )
  .map(([workers, heads]) => [
    ...heads.map((head, at) => headPod({ name: `head-${at}`, uid: `h${at}`, ...head })),
    ...workers.map(({ groupName, index, ...rest }, at) =>
      worker(0, { name: `demo-${groupName}-${at}`, uid: `w${at}`, group: groupName, replicaIndex: index, ...rest }),
    ),
  ]);

const anyWorld: fc.Arbitrary<ObservedOptions> = fc.record({
  spec: anySpec,
  pods: anyPods,
  gates: fc.record({
    RayMultiHostIndexing: fc.boolean(),
    RayClusterStatusConditions: fc.boolean(),
    GCSFaultToleranceEmbeddedStorage: fc.constant(true),
  }),
  env: fc.constantFrom({}, { ENABLE_RANDOM_POD_DELETE: 'true' }),
  metadata: fc.record({
    annotations: fc.constantFrom({}, { 'ray.io/enable-serve-service': 'true' }),
  }),
});

/** Passes and time, until nothing should happen any more; tells what went wrong. Two passes see the same world whenever `isStale` says so. */
function settle(world: TinyWorld, isStale: () => boolean = () => false): readonly string[] {
  const problems: string[] = [];
  for (let pass = 0; pass < PASSES; pass += 1) {
    const seen = world.observe();
    const before = world.pods;
    world.pass(seen);
    if (isStale()) world.pass(seen);
    problems.push(...surplus(world, before));
    world.tick();
  }
  return [...problems, ...unrest(world)];
}

/** Never more pods than were asked for, beyond those that were there. Pods that the autoscaler has named do not count. */
function surplus({ cluster, pods }: TinyWorld, before: readonly PodRecord[]): readonly string[] {
  const heads = pods.filter(({ head }) => head !== undefined);
  const tooMany = (cluster?.spec?.workerGroupSpecs ?? []).flatMap((found) => {
    const named = new Set(found.scaleStrategy?.workersToDelete);
    const count = (all: readonly PodRecord[]) =>
      all.filter((pod) => pod.group === found.groupName && !named.has(pod.name)).length;
    const allowed = Math.max(desiredPods(found), count(before));
    return count(pods) > allowed ? [`${count(pods)} pods of ${found.groupName} instead of ${allowed}`] : [];
  });
  return [...tooMany, ...(heads.length > 1 ? [`${heads.length} heads`] : [])];
}

function unrest(world: TinyWorld): readonly string[] {
  const { done, wroteStatus } = world.pass();
  const { cluster, pods } = world;
  const spec = cluster?.spec;
  const isGoing = spec === undefined || cluster?.metadata?.deletionTimestamp !== undefined;
  const wanted = isGoing || spec.suspend === true ? 0 : desiredWorkerPods(spec) + 1;
  const isWrong = spec?.enableInTreeAutoscaling === true && wanted > 0 ? pods.length < wanted : pods.length !== wanted;
  return [
    ...done.map(say),
    ...(wroteStatus ? ['wrote the status again'] : []),
    ...(isWrong && !isGoing ? [`${pods.length} pods instead of ${wanted}`] : []),
  ];
}

describe('passes over a world that stands still', () => {
  it('come to rest with what the spec asks for, and make no pod too many on the way, even when caches lag', () => {
    fc.assert(
      fc.property(anyWorld, fc.infiniteStream(fc.boolean()), (options, lags) => {
        const world = new TinyWorld(observed(options));
        expect(settle(world, () => lags.next().value === true)).toEqual([]);
      }),
      { numRuns: 100 },
    );
  });

  it('come to rest again after the spec was changed', () => {
    fc.assert(
      fc.property(anyWorld, anySpec, (options, next) => {
        const world = new TinyWorld(observed(options));
        settle(world);
        world.cluster = { ...world.cluster, metadata: { ...world.cluster?.metadata, generation: 2 }, spec: next };
        expect(settle(world)).toEqual([]);
      }),
      { numRuns: 100 },
    );
  });

  it('let a cluster go, whatever it was doing', () => {
    fc.assert(
      fc.property(anyWorld, fc.nat(6), (options, passes) => {
        const world = new TinyWorld(observed(options));
        for (let pass = 0; pass < passes; pass += 1) {
          world.pass();
          world.tick();
        }
        const deletionTimestamp = new Date(world.now).toISOString();
        world.cluster = { ...world.cluster, metadata: { ...world.cluster?.metadata, deletionTimestamp } };
        expect(settle(world)).toEqual([]);
        expect(world.cluster?.metadata?.finalizers ?? []).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });
});
