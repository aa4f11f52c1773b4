import { type RayCluster, type RayClusterSpec, withRayClusterDefaults } from '@manta/api';
import { describe, expect, it } from 'vitest';
import type { Action } from '../plan.ts';
import { planRayCluster } from '../raycluster/plan.ts';
import { group, HEAD, headPod, type ObservedOptions, observed, worker } from '../testing/observed.ts';
import { BATCH_SCHEDULERS, type BatchSchedulerName, GANG_KINDS, type GangKind, type GangRecord } from './scheduler.ts';

const CPU = (cpu: string, memory: string) => ({ requests: { cpu, memory } });
const template = (cpu: string, memory: string) => ({
  spec: { containers: [{ name: 'ray', image: 'rayproject/ray:2.52.0', resources: CPU(cpu, memory) }] },
});
const SPEC: Partial<RayClusterSpec> = {
  headGroupSpec: { ...HEAD, template: template('2', '4Gi') },
  workerGroupSpecs: [group({ replicas: 3, minReplicas: 1, template: template('1', '1Gi') })],
};
const LABELS = {
  'ray.io/gang-scheduling-enabled': 'true',
  'volcano.sh/queue-name': 'q',
  'yunikorn.apache.org/queue': 'q',
  'yunikorn.apache.org/app-id': 'app',
  'kai.scheduler/queue': 'q',
};

/** What differs between schedulers, and nothing else. */
interface Expected {
  readonly schedulerName: string;
  /** What is made besides pods, by name. */
  readonly objects: Readonly<Partial<Record<GangKind, string>>>;
  /** How a pod of the group `small` says to which gang it belongs. */
  readonly belonging: unknown;
  readonly podLabels: Readonly<Record<string, string>>;
  readonly schedulingGroup?: unknown;
  /** How many pods the gang has, read from whatever tells the scheduler. */
  readonly sizeOf: (seen: Seen) => unknown;
  /** What its objects say of a gang whose size the autoscaler changes. */
  readonly autoscaled: readonly number[];
}

interface Seen {
  readonly objects: readonly GangRecord[];
  readonly pods: readonly Pod[];
}

interface Pod {
  readonly metadata?: { readonly labels?: Record<string, string>; readonly annotations?: Record<string, string> };
  readonly spec?: { readonly schedulerName?: string; readonly schedulingGroup?: unknown };
}

interface GangSpec {
  readonly minMember: number;
  readonly minResources: unknown;
  readonly schedulingPolicy: { readonly gang: { readonly minCount: number } };
}

const specOf = ({ objects }: Seen, kind: GangKind) =>
  objects.find((each) => each.kind === kind)?.object.spec as GangSpec;
const taskGroups = ({ pods }: Seen) =>
  JSON.parse(pods[0]?.metadata?.annotations?.['yunikorn.apache.org/task-groups'] ?? '[]') as { minMember: number }[];

const EXPECTED: Readonly<Record<BatchSchedulerName, Expected>> = {
  volcano: {
    schedulerName: 'volcano',
    objects: { VolcanoPodGroup: 'ray-demo-pg' },
    belonging: { 'scheduling.k8s.io/group-name': 'ray-demo-pg', 'volcano.sh/task-spec': 'small' },
    podLabels: { 'volcano.sh/queue-name': 'q' },
    sizeOf: (seen) => specOf(seen, 'VolcanoPodGroup').minMember,
    autoscaled: [2],
  },
  yunikorn: {
    schedulerName: 'yunikorn',
    objects: {},
    belonging: { 'yunikorn.apache.org/task-group-name': 'small' },
    podLabels: { applicationId: 'app', queue: 'q' },
    // It counts the least, whoever scales.
    sizeOf: (seen) => taskGroups(seen).reduce((sum, { minMember }) => sum + minMember, 0) + 2,
    autoscaled: [],
  },
  'kai-scheduler': {
    schedulerName: 'kai-scheduler',
    objects: {},
    belonging: {},
    podLabels: { 'kai.scheduler/queue': 'q' },
    sizeOf: () => 4,
    autoscaled: [],
  },
  'scheduler-plugins': {
    schedulerName: 'scheduler-plugins-scheduler',
    objects: { PluginsPodGroup: 'demo' },
    belonging: {},
    podLabels: { 'scheduling.x-k8s.io/pod-group': 'demo' },
    sizeOf: (seen) => specOf(seen, 'PluginsPodGroup').minMember,
    autoscaled: [2],
  },
  'kubernetes-was': {
    schedulerName: 'default-scheduler',
    objects: { Workload: 'demo', WorkloadPodGroup: 'demo-cluster' },
    belonging: {},
    podLabels: {},
    schedulingGroup: { podGroupName: 'demo-cluster' },
    sizeOf: (seen) => specOf(seen, 'WorkloadPodGroup').schedulingPolicy.gang.minCount,
    autoscaled: [],
  },
};

/** One cluster and the objects that speak to its scheduler, as plans leave them. */
class GangWorld {
  readonly #scheduler: BatchSchedulerName;
  readonly #options: ObservedOptions;
  objects: GangRecord[] = [];
  pods: Pod[] = [];
  options: ObservedOptions = {};

  constructor(scheduler: BatchSchedulerName, options: ObservedOptions = {}) {
    this.#scheduler = scheduler;
    this.#options = options;
  }

  pass(changes: ObservedOptions = {}): readonly Action[] {
    this.options = { ...this.options, ...changes };
    const { cluster, ...rest } = observed({
      spec: SPEC,
      ...this.#options,
      ...this.options,
      metadata: { labels: LABELS, ...this.#options.metadata, ...this.options.metadata },
    });
    const context = { ...rest.context, batchScheduler: this.#scheduler };
    const complete: RayCluster = withRayClusterDefaults(cluster);
    const { actions } = planRayCluster({ ...rest, cluster: complete, context, gang: this.objects });
    for (const action of actions) this.#carryOut(action);
    return actions.filter(
      (action) => 'kind' in action && action.kind !== 'Pod' && GANG_KINDS.some((kind) => kind === action.kind),
    );
  }

  /** Passes until nothing is left to do. */
  rest(changes: ObservedOptions = {}): this {
    for (let left = 10; this.pass(changes).length > 0; left -= 1) if (left === 0) throw new Error('no rest');
    return this;
  }

  #carryOut(action: Action): void {
    if (action.type === 'create' && action.kind === 'Pod') this.pods = [...this.pods, ...(action.objects as Pod[])];
    if (action.type === 'create' && isGang(action.kind))
      for (const object of action.objects) {
        const metadata = { ...object.metadata, uid: `uid-${this.objects.length}`, resourceVersion: '1' };
        this.objects = [...this.objects, { kind: action.kind, object: { ...object, metadata } }];
      }
    if (action.type === 'delete' && isGang(action.kind))
      this.objects = this.objects.filter(({ object }) => object.metadata?.uid !== action.uid);
    if (action.type === 'update' && isGang(action.kind)) {
      const { name } = action.object.metadata ?? {};
      this.objects = this.objects.map((record) =>
        record.kind === action.kind && record.object.metadata?.name === name
          ? { ...record, object: action.object }
          : record,
      );
    }
  }
}

function isGang(kind: string): kind is GangKind {
  return GANG_KINDS.some((each) => each === kind);
}

const RUNNING = { pods: [headPod(), worker(0), worker(1), worker(2)] };

describe.each(BATCH_SCHEDULERS)('%s', (name) => {
  const expected = EXPECTED[name];
  const made = (world: GangWorld) =>
    Object.fromEntries(world.objects.map(({ kind, object }) => [kind, object.metadata?.name]));

  it('takes every pod of a cluster, which says where it belongs', () => {
    const { pods } = new GangWorld(name).rest(RUNNING).rest({ pods: [] });
    expect(pods).toHaveLength(4);
    for (const pod of pods) {
      expect(pod.spec?.schedulerName).toBe(expected.schedulerName);
      expect(pod.metadata?.labels).toMatchObject(expected.podLabels);
    }
    expect(pods[1]?.metadata?.annotations ?? {}).toMatchObject(expected.belonging as object);
    expect(pods[0]?.spec?.schedulingGroup).toEqual(expected.schedulingGroup);
  });

  it('is told of a gang before there are pods, and once', () => {
    const world = new GangWorld(name);
    world.rest();
    expect(made(world)).toEqual(expected.objects);
    expect(expected.sizeOf(world)).toBe(4);
    expect(world.pass(RUNNING)).toEqual([]);
  });

  it('is told when a cluster is scaled', () => {
    const world = new GangWorld(name).rest();
    const scaled = group({ replicas: 5, minReplicas: 3, template: template('1', '1Gi') });
    world.pods = [];
    world.rest({ spec: { ...SPEC, workerGroupSpecs: [scaled] } });
    expect(expected.sizeOf(world)).toBe(name === 'kai-scheduler' ? 4 : 6);
    expect(made(world)).toEqual(expected.objects);
  });

  it('gets its objects back when somebody deletes or changes them', () => {
    const world = new GangWorld(name).rest();
    const before = world.objects;
    world.objects = [];
    world.rest(RUNNING);
    expect(world.objects.map(({ object }) => object.spec)).toEqual(before.map(({ object }) => object.spec));
    world.objects = world.objects.map((record) => ({
      ...record,
      object: { ...record.object, spec: { minMember: 99, schedulingPolicy: { gang: { minCount: 99 } } } },
    }));
    world.rest(RUNNING);
    expect(made(world)).toEqual(expected.objects);
    for (const [i, { object }] of world.objects.entries())
      expect(object.spec).toMatchObject(before[i]?.object.spec as object);
  });

  it('has nothing left of a cluster that is suspended', () => {
    const world = new GangWorld(name).rest(RUNNING);
    const conditions = [
      { type: 'RayClusterSuspended', status: 'True', reason: 'x', message: '', lastTransitionTime: '' },
    ];
    world.rest({ pods: [], spec: { ...SPEC, suspend: true }, status: { conditions } as RayCluster['status'] });
    expect(world.objects).toEqual([]);
  });

  it('counts the least of an autoscaled cluster, or is not told of it at all', () => {
    const world = new GangWorld(name).rest({ spec: { ...SPEC, enableInTreeAutoscaling: true } });
    expect(world.objects.map(({ object }) => (object.spec as GangSpec).minMember)).toEqual(expected.autoscaled);
  });

  it('leaves alone what somebody else has under its names, and starts no pods', () => {
    const world = new GangWorld(name).rest();
    world.objects = world.objects.map((record) => ({
      ...record,
      object: { ...record.object, metadata: { ...record.object.metadata, ownerReferences: [] } },
    }));
    world.pods = [];
    const actions = planned(world, name);
    const failures = actions.filter(({ type }) => type === 'abort');
    const told = expect.stringContaining('already exists and is not owned by this RayCluster');
    expect(failures).toEqual(world.objects.length === 0 ? [] : [{ type: 'abort', message: told }]);
    expect(actions.filter(({ type }) => type === 'delete' || type === 'update')).toEqual([]);
    const failure = actions.findIndex(({ type }) => type === 'abort');
    const newPods = actions.flatMap((action, i) => (action.type === 'create' && action.kind === 'Pod' ? [i] : []));
    expect(newPods.every((i) => i > failure)).toBe(true);
  });
});

function planned(world: GangWorld, batchScheduler: BatchSchedulerName): readonly Action[] {
  const seen = observed({ spec: SPEC, metadata: { labels: LABELS } });
  return planRayCluster({ ...seen, context: { ...seen.context, batchScheduler }, gang: world.objects }).actions;
}

it('trouble with a gang holds up no pod that has to go', () => {
  const seen = observed({
    spec: SPEC,
    metadata: { labels: LABELS },
    pods: [headPod(), worker(0, { phase: 'Failed' })],
  });
  const foreign = { kind: 'VolcanoPodGroup', object: { metadata: { name: 'ray-demo-pg' } } } as const;
  const context = { ...seen.context, batchScheduler: 'volcano' } as const;
  const { actions } = planRayCluster({ ...seen, context, gang: [foreign] });
  expect(actions.map(({ type }) => type)).toEqual(['delete', 'abort']);
});

describe('what a gang asks for', () => {
  const asked = (name: BatchSchedulerName, spec: Partial<RayClusterSpec>) => {
    const world = new GangWorld(name).rest({ spec });
    return specOf(world, world.objects[0]?.kind ?? 'VolcanoPodGroup').minResources;
  };

  it.each(['volcano', 'scheduler-plugins'] as const)('%s: what its pods ask for', (name) => {
    expect(asked(name, SPEC)).toEqual({ cpu: '5', memory: '7Gi' });
  });

  it.each(['volcano', 'scheduler-plugins'] as const)('%s: the autoscaler beside the head too', (name) => {
    expect(asked(name, { ...SPEC, enableInTreeAutoscaling: true })).toEqual({ cpu: '3500m', memory: '5632Mi' });
  });

  it('YuniKorn: the same for each pod', () => {
    const world = new GangWorld('yunikorn').rest({ spec: { ...SPEC, enableInTreeAutoscaling: true } });
    expect(taskGroups(world)[0]).toMatchObject({ minResource: { cpu: '2500m', memory: '4608Mi' }, name: 'headgroup' });
  });

  it.each(['volcano', 'scheduler-plugins'] as const)('%s: none of what a group without pods would need', (name) => {
    const gpus = { spec: { containers: [{ name: 'ray', resources: { limits: { 'nvidia.com/gpu': 1 } } }] } };
    const groups = [group({ groupName: 'gpu', replicas: 0, minReplicas: 0, template: gpus })];
    expect(asked(name, { ...SPEC, workerGroupSpecs: groups })).toEqual({
      cpu: '2',
      memory: '4Gi',
      'nvidia.com/gpu': '0',
    });
  });

  it('YuniKorn: by groups that the user has written down, unless that is empty', () => {
    const said = (annotation: string) => {
      const metadata = { annotations: { 'yunikorn.apache.org/task-groups': annotation } };
      return new GangWorld('yunikorn', { metadata }).rest().pods[0]?.metadata?.annotations?.[
        'yunikorn.apache.org/task-groups'
      ];
    };
    expect(said('[{"name":"mine"}]')).toBe('[{"name":"mine"}]');
    expect(said('')).toContain('"name":"headgroup"');
  });

  it('nothing for a group that is suspended', () => {
    const gpus = { spec: { containers: [{ name: 'ray', resources: { limits: { 'nvidia.com/gpu': 1 } } }] } };
    const groups = [group({ replicas: 3, suspend: true, template: gpus })];
    expect(asked('volcano', { ...SPEC, workerGroupSpecs: groups })).toEqual({ cpu: '2', memory: '4Gi' });
  });
});

describe('who wants no gang', () => {
  it.each(BATCH_SCHEDULERS)('%s: no object without the label, but for Volcano, which always has one', (name) => {
    const world = new GangWorld(name).rest({ metadata: { labels: {} } });
    expect(world.objects.map(({ kind }) => kind)).toEqual(name === 'volcano' ? ['VolcanoPodGroup'] : []);
    expect(world.pods[0]?.spec?.schedulerName).toBe(EXPECTED[name].schedulerName);
  });

  it.each(['scheduler-plugins', 'kubernetes-was'] as const)('%s: what was made goes when the label does', (name) => {
    const world = new GangWorld(name).rest();
    expect(world.objects).not.toEqual([]);
    world.rest({ metadata: { labels: {} } });
    expect(world.objects).toEqual([]);
  });
});

describe('Volcano', () => {
  const podGroup = (labels: Record<string, string>) =>
    specOf(new GangWorld('volcano').rest({ metadata: { labels } }), 'VolcanoPodGroup');

  it('hears of queue, priority and topology', () => {
    const labels = {
      'volcano.sh/queue-name': 'q',
      'ray.io/priority-class-name': 'high',
      'volcano.sh/network-topology-mode': 'hard',
      'volcano.sh/network-topology-highest-tier-allowed': '2',
    };
    expect(podGroup(labels)).toMatchObject({
      queue: 'q',
      priorityClassName: 'high',
      networkTopology: { mode: 'hard', highestTierAllowed: 2 },
    });
  });

  it('names the label whose value is no number', () => {
    const labels = {
      'volcano.sh/network-topology-mode': 'hard',
      'volcano.sh/network-topology-highest-tier-allowed': 'two',
    };
    const seen = observed({ spec: SPEC, metadata: { labels } });
    const { actions } = planRayCluster({ ...seen, context: { ...seen.context, batchScheduler: 'volcano' }, gang: [] });
    expect(actions).toContainEqual({
      type: 'abort',
      message:
        'failed to convert volcano.sh/network-topology-highest-tier-allowed label to int: "two" is not a whole number',
    });
  });

  it('has the group of a job for the cluster that was made for it', () => {
    const labels = { 'ray.io/originated-from-crd': 'RayJob', 'ray.io/originated-from-cr-name': 'train' };
    const world = new GangWorld('volcano').rest({ metadata: { labels } });
    expect(world.objects).toEqual([]);
    expect(world.pods[0]?.metadata?.annotations).toMatchObject({ 'scheduling.k8s.io/group-name': 'ray-train-pg' });
  });
});
