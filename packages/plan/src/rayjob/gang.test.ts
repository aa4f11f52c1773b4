import type { RayJobStatus } from '@manta/api';
import { rayJob } from '@manta/api/testing';
import { describe, expect, it } from 'vitest';
import type { Action } from '../plan.ts';
import type { BatchSchedulerName, GangRecord } from '../scheduling/scheduler.ts';
import { initializing, type JobOptions, observedJob, running, planJob } from './testing/observed-job.ts';

const LABELS = {
  'volcano.sh/queue-name': 'q',
  'yunikorn.apache.org/app-id': 'app',
  'ray.io/gang-scheduling-enabled': '',
};

type Make = (options: JobOptions) => ReturnType<typeof observedJob>;

function planned(scheduler: BatchSchedulerName, make: Make, options: JobOptions = {}): readonly Action[] {
  const seen = make(options);
  const job = { ...seen.job, metadata: { ...seen.job.metadata, labels: LABELS } };
  return planJob({ ...seen, job, context: { ...seen.context, batchScheduler: scheduler } }).actions;
}

/** What these tests look at in an object that is made. */
interface Made {
  readonly metadata: {
    readonly labels: Readonly<Record<string, string>>;
    readonly annotations: Readonly<Record<string, string>>;
  };
  readonly spec: {
    readonly template: {
      readonly metadata: {
        readonly labels: Readonly<Record<string, string>>;
        readonly annotations: Readonly<Record<string, string>>;
      };
      readonly spec: { readonly schedulerName?: string };
    };
  };
}

const created = (actions: readonly Action[], kind: string) =>
  actions.flatMap((action) =>
    action.type === 'create' && action.kind === kind ? action.objects : [],
  )[0] as unknown as Made;

const withoutCluster = (options: JobOptions) => initializing({ cluster: undefined, ...options });

/** The group as Volcano's plan for a new job makes it. */
function podGroup(): GangRecord {
  const object = created(planned('volcano', withoutCluster), 'VolcanoPodGroup');
  return { kind: 'VolcanoPodGroup', object: { ...object, metadata: { ...object.metadata, uid: 'group-uid' } } };
}

/** What is done for a job that is suspended and has this group. */
function suspended(gang: readonly GangRecord[]) {
  const status = { jobDeploymentStatus: 'Suspended' } as const;
  const seen = observedJob({ spec: { suspend: true, shutdownAfterJobFinishes: true }, status, gang });
  const job = { ...seen.job, metadata: { ...seen.job.metadata, labels: LABELS } };
  return planJob({ ...seen, job, context: { ...seen.context, batchScheduler: 'volcano' } });
}

describe('a RayJob with Volcano', () => {
  it('has its group before its cluster, with room for the submitter, who is not waited for', () => {
    const actions = planned('volcano', withoutCluster);
    const kinds = actions.flatMap((action) => (action.type === 'create' ? [action.kind] : []));
    expect(kinds.indexOf('VolcanoPodGroup')).toBeLessThan(kinds.indexOf('RayCluster'));
    const { metadata, spec } = created(actions, 'VolcanoPodGroup');
    expect(metadata).toMatchObject({ name: 'ray-job-pg', ownerReferences: [{ kind: 'RayJob', name: 'job' }] });
    expect(spec).toMatchObject({ minMember: 2, minResources: { cpu: '2500m', memory: '4296Mi' }, queue: 'q' });
  });

  it('writes on cluster and submitter where they belong', () => {
    expect(created(planned('volcano', withoutCluster), 'RayCluster').metadata.annotations).toMatchObject({
      'scheduling.k8s.io/group-name': 'ray-job-pg',
      'volcano.sh/task-spec': '',
    });
    const { template } = created(planned('volcano', initializing, { gang: [podGroup()] }), 'Job').spec;
    expect(template.spec.schedulerName).toBe('volcano');
    expect(template.metadata.annotations).toMatchObject({ 'volcano.sh/task-spec': 'submittergroup' });
    expect(template.metadata.labels).toMatchObject({ 'volcano.sh/queue-name': 'q' });
  });

  it('says so where its group cannot be given the size that it needs', () => {
    const { kind, object } = podGroup();
    const actions = planned('volcano', initializing, {
      gang: [{ kind, object: { ...object, spec: { minMember: 9 } } }],
    });
    expect(actions[0]).toMatchObject({
      type: 'update',
      failed: { reason: 'FailedToUpdatePodGroup', note: 'Failed to update PodGroup default/ray-job-pg:' },
    });
    expect(actions[0]).not.toHaveProperty('isOptional');
  });

  it('has its group put right while it runs', () => {
    const actions = planned('volcano', running, { gang: [] });
    expect(actions).toContainEqual(
      expect.objectContaining({ type: 'create', kind: 'VolcanoPodGroup', isOptional: true }),
    );
    expect(planned('volcano', running, { gang: [podGroup()] }).filter((a) => 'kind' in a)).toEqual([]);
  });

  it.each<[string, RayJobStatus, JobOptions]>([
    ['runs', { jobDeploymentStatus: 'Running' }, {}],
    ['has ended', { jobDeploymentStatus: 'Complete', jobStatus: 'SUCCEEDED' }, {}],
    ['is taken down', { jobDeploymentStatus: 'Suspending' }, { cluster: undefined, submitter: undefined }],
  ])('that %s is not held up by a group of that name which is not its own', (_, status, options) => {
    const { kind, object } = podGroup();
    const gang = [{ kind, object: { ...object, metadata: { ...object.metadata, ownerReferences: [] } } }];
    expect(planned('volcano', withoutCluster, { gang }).map(({ type }) => type)).toContain('abort');
    expect(planned('volcano', running, { gang, status, ...options }).map(({ type }) => type)).not.toContain('abort');
  });

  const ended: RayJobStatus = { jobDeploymentStatus: 'Complete', jobStatus: 'SUCCEEDED' };

  it('asks for what its cluster still has when it has ended, and for nothing when that is gone', () => {
    const still = planned('volcano', running, { gang: [podGroup()], status: ended });
    expect(still).toContainEqual(
      expect.objectContaining({
        type: 'update',
        object: expect.objectContaining({
          spec: { minMember: 2, minResources: { cpu: '2', memory: '4Gi' }, queue: 'q' },
        }),
        done: expect.objectContaining({ reason: 'BatchSchedulerCleanedUp' }),
        isOptional: true,
      }),
    );
    const gone = planned('volcano', running, { gang: [podGroup()], status: ended, cluster: undefined });
    expect(gone).toContainEqual(
      expect.objectContaining({ object: expect.objectContaining({ spec: { minResources: {}, queue: 'q' } }) }),
    );
  });

  const RELEASE = {
    type: 'update',
    object: { spec: { minResources: {}, queue: 'q' } },
    failed: { reason: 'FailedToCleanupBatchScheduler' },
    isOptional: true,
  };

  it.each(['Suspending', 'Retrying'] as const)('has its group ask for nothing at the end of %s, if it can', (stage) => {
    const options = { gang: [podGroup()], cluster: undefined, submitter: undefined };
    const actions = planned('volcano', running, { ...options, status: { jobDeploymentStatus: stage } });
    expect(actions).toMatchObject([RELEASE]);
  });

  it('has its group ask for nothing while it is suspended, where that was refused before', () => {
    const seen = suspended([podGroup()]);
    expect(seen).toMatchObject({ actions: [RELEASE], requeueAfterMs: 60_000 });
    const [released] = seen.actions.flatMap((action) => (action.type === 'update' ? [action.object] : []));
    expect(suspended([{ kind: 'VolcanoPodGroup', object: released ?? {} }])).toEqual({
      actions: [],
      memory: expect.anything(),
    });
  });

  it('cannot run on a cluster of somebody else, and says so', () => {
    const { rayClusterSpec: _, ...spec } = rayJob('job').spec ?? {};
    const seen = initializing({});
    const job = { ...seen.job, spec: { ...spec, clusterSelector: { 'ray.io/cluster': 'job-x' } } };
    const { actions } = planJob({ ...seen, job, context: { ...seen.context, batchScheduler: 'volcano' } });
    expect(actions[1]).toEqual({
      type: 'abort',
      message: 'gang scheduling does not support RayJob default/job referencing an existing RayCluster',
    });
    expect(actions[0]).toMatchObject({ event: { severity: 'Warning', reason: 'InvalidRayJobSpec' } });
  });
});

describe('a RayJob with another scheduler', () => {
  it('YuniKorn: the task groups, the submitter among them, are written on the cluster for its pods to copy', () => {
    const { metadata } = created(planned('yunikorn', withoutCluster), 'RayCluster');
    const groups = JSON.parse(metadata.annotations['yunikorn.apache.org/task-groups'] ?? '') as { name: string }[];
    expect(groups.map(({ name }) => name)).toEqual(['headgroup', 'workers', 'submittergroup']);
    expect(metadata.annotations).not.toHaveProperty('yunikorn.apache.org/task-group-name');
    expect(metadata.labels).toMatchObject({ applicationId: 'app' });
  });

  it('KAI: is refused where a pod submits it, and runs in every other mode', () => {
    const refused = planned('kai-scheduler', withoutCluster);
    expect(refused[1]).toEqual({
      type: 'abort',
      message: expect.stringContaining('KAI-Scheduler does not support RayJob with K8sJobMode'),
    });
    const accepted = planned('kai-scheduler', withoutCluster, { spec: { submissionMode: 'HTTPMode' } });
    expect(created(accepted, 'RayCluster')).toBeDefined();
  });

  it('KAI: goes on with one that it found running', () => {
    const types = planned('kai-scheduler', running).map(({ type }) => type);
    expect(types).not.toContain('abort');
    expect(types).not.toContain('event');
  });

  it('scheduler-plugins: leaves the gang to the cluster, and the submitter out of it', () => {
    const actions = planned('scheduler-plugins', initializing);
    const { template } = created(actions, 'Job').spec;
    expect(template.spec.schedulerName).toBe('scheduler-plugins-scheduler');
    expect(template.metadata.labels).not.toHaveProperty(['scheduling.x-k8s.io/pod-group']);
    expect(created(actions, 'PluginsPodGroup')).toBeUndefined();
  });
});
