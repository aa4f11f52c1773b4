import { describe, expect, it } from 'vitest';
import { NOW } from '../testing/observed.ts';
import {
  ago,
  check,
  cluster,
  done,
  FINALIZER,
  initializing,
  observedJob,
  running,
  says,
  sidecar,
  submitter,
  planJob,
} from './testing/observed-job.ts';

describe('a new job', () => {
  check({
    'is given names and a finalizer before anything is made': [observedJob(), 'patch RayJob job', '→ Initializing/-'],
    'keeps a finalizer that it has': [observedJob({ metadata: { finalizers: [FINALIZER] } }), '→ Initializing/-'],
    'that somebody else looks after is left alone': [observedJob({ spec: { managedBy: 'kueue.x-k8s.io/multikueue' } })],
    'that is invalid is refused, and told why': [
      observedJob({ spec: { backoffLimit: -1 } }),
      'Warning InvalidRayJobSpec: default/job: The RayJob spec is invalid: backoffLimit must be a positive integer',
      '→ ValidationFailed/- ValidationFailed',
    ],
    'of a stage that only a newer version knows is left to that version': [
      observedJob({ status: { jobDeploymentStatus: 'Dreaming' as 'Running' } }),
    ],
  });

  it('gets the same names however often its first status is lost, and others for each later attempt', () => {
    const idsAfter = (status: object) => {
      const { jobId, rayClusterName } = planJob(observedJob({ status })).status ?? {};
      return [jobId, rayClusterName];
    };
    const first = idsAfter({});
    expect(idsAfter({})).toEqual(first);
    const retried = idsAfter({ failed: 1, startTime: ago(60) });
    const resumed = idsAfter({ failed: 1, startTime: ago(30) });
    expect(new Set([...first, ...retried, ...resumed]).size).toBe(6);
    expect(first[0]).toMatch(/^job-[a-z0-9]{5}$/);
  });

  it('keeps an id and a cluster that the user names', () => {
    const selecting = { rayClusterSpec: undefined, clusterSelector: { 'ray.io/cluster': 'shared' }, jobId: 'mine' };
    const { status } = planJob(observedJob({ spec: selecting as object }));
    expect(status).toMatchObject({ jobId: 'mine', rayClusterName: 'shared' });
  });

  it('in InteractiveMode has no id until its user says one', () => {
    const { status } = planJob(observedJob({ spec: { submissionMode: 'InteractiveMode', jobId: 'mine' } }));
    expect(status).not.toHaveProperty('jobId');
  });

  it('never starts in the same second as the attempt before, since names are made from it', () => {
    expect(planJob(observedJob({ status: { startTime: ago(0) } })).status?.startTime).toBe(ago(-1));
  });
});

describe('a job that initialises', () => {
  check({
    'gets its cluster': [initializing({ cluster: undefined }), 'create RayCluster job-x'],
    'mirrors a cluster that is not ready': [initializing({ cluster: cluster() })],
    'gets a submitter when the cluster is ready': [initializing(), 'create Job job', '→ Running/-'],
    'gets a submitter when its mode is an empty text': [
      initializing({ spec: { submissionMode: '' as 'HTTPMode' } }),
      'create Job job',
      '→ Running/-',
    ],
    'needs no second submitter': [initializing({ submitter: submitter() }), '→ Running/-'],
    'does not take the submitter of an earlier job of its name for its own': [
      initializing({ submitter: submitter({ owner: 'another' }) }),
      'create Job job',
      '→ Running/-',
    ],
    'is handed over without a submitter in HTTPMode': [
      initializing({ spec: { submissionMode: 'HTTPMode' } }),
      '→ Running/-',
    ],
    'waits for its user in InteractiveMode': [
      initializing({ spec: { submissionMode: 'InteractiveMode' } }),
      '→ Waiting/-',
    ],
    'of an unknown mode is only followed': [
      initializing({ spec: { submissionMode: 'OtherMode' as 'HTTPMode' } }),
      '→ Running/-',
    ],
    'is suspended first of all': [
      initializing({ spec: { suspend: true, shutdownAfterJobFinishes: true, activeDeadlineSeconds: 1 } }),
      '→ Suspending/-',
    ],
    'fails at its deadline': [initializing({ spec: { activeDeadlineSeconds: 60 } }), '→ Failed/- DeadlineExceeded'],
    'fails when it takes too long to run': [
      initializing({ spec: { preRunningDeadlineSeconds: 60 } }),
      '→ Failed/- PreRunningDeadlineExceeded',
    ],
    'is tried again when it took too long to run': [
      initializing({ spec: { preRunningDeadlineSeconds: 60, backoffLimit: 1 } }),
      '→ Retrying/- PreRunningDeadlineExceeded',
    ],
    'misses a cluster that it only selects': [
      initializing({
        cluster: undefined,
        spec: { rayClusterSpec: undefined, clusterSelector: { 'ray.io/cluster': 'job-x' } } as object,
      }),
      'Warning RayClusterNotFound: RayCluster default/job-x set in the clusterSelector is not found. It must be created manually',
      'fail: clusterSelector mode is enabled, but RayCluster default/job-x is not found: create it, or name another one in spec.clusterSelector',
    ],
    'cannot go on without a dashboard': [
      initializing({ address: { isFound: false, why: 'dashboard port is not found' } }),
      'fail: dashboard port is not found',
    ],
    'goes on in SidecarMode when the submitter was quicker than the last worker': [
      initializing({ cluster: cluster(), spec: { submissionMode: 'SidecarMode' }, heads: [sidecar(0)] }),
      '→ Running/-',
    ],
  });

  it('spells out what its cluster is to be, as Kubernetes does', () => {
    const headGroupSpec = { template: { spec: { containers: [{ name: 'ray', resources: { limits: { cpu: 1 } } }] } } };
    const [action] = planJob(initializing({ cluster: undefined, spec: { rayClusterSpec: { headGroupSpec } } })).actions;
    const written = { template: { spec: { containers: [{ name: 'ray', resources: { limits: { cpu: '1' } } }] } } };
    expect(action).toMatchObject({ type: 'create', objects: [{ spec: { headGroupSpec: written } }] });
  });

  it('looks again exactly at its deadline', () => {
    const spec = { activeDeadlineSeconds: 100, preRunningDeadlineSeconds: 90 };
    expect(planJob(initializing({ cluster: cluster(), spec })).requeueAfterMs).toBe(30_000);
  });

  it('looks again at its deadline also while it is being handed over and that may fail', () => {
    const spec = { activeDeadlineSeconds: 100, preRunningDeadlineSeconds: 90 };
    const address = { isFound: false, why: 'dashboard port is not found' } as const;
    expect(planJob(initializing({ spec, address })).requeueAfterMs).toBe(30_000);
    expect(planJob(initializing({ spec })).requeueAfterMs).toBe(30_000);
  });

  it('tells the deadline in words that users know', () => {
    const { status } = planJob(initializing({ spec: { activeDeadlineSeconds: 60 } }));
    expect(status?.message).toBe(
      'The RayJob has passed the activeDeadlineSeconds. StartTime: 2026-08-01 11:59:00 +0000 UTC. ActiveDeadlineSeconds: 60',
    );
  });
});

describe('a job whose time is over before its cluster is there', () => {
  it('shows how far the cluster got', () => {
    const coming = cluster(undefined, { status: { desiredWorkerReplicas: 3 } });
    const { status } = planJob(initializing({ cluster: coming, spec: { activeDeadlineSeconds: 60 } }));
    expect(status).toMatchObject({ jobDeploymentStatus: 'Failed', rayClusterStatus: { desiredWorkerReplicas: 3 } });
  });
});

describe('a job that waits for its user', () => {
  const waiting = (options: Parameters<typeof running>[0] = {}) =>
    running({
      ...options,
      spec: { submissionMode: 'InteractiveMode', ...options.spec },
      status: { jobDeploymentStatus: 'Waiting', jobStatus: undefined as never, jobId: undefined as never },
    });
  check({
    waits: [waiting()],
    'gets a cluster that somebody has deleted back': [waiting({ cluster: undefined }), 'create RayCluster job-x'],
    'runs once it has an id': [waiting({ spec: { jobId: 'mine' } }), '→ Running/-'],
    'fails when nobody comes': [
      waiting({ spec: { preRunningDeadlineSeconds: 60 } }),
      '→ Failed/- PreRunningDeadlineExceeded',
    ],
  });
});

describe('a job that runs', () => {
  check({
    'is suspended': [running({ spec: { suspend: true, shutdownAfterJobFinishes: true } }), '→ Suspending/RUNNING'],
    'goes on while Ray says so': [running({ answer: says('RUNNING') })],
    'goes on while Ray has not answered': [running({ answer: { kind: 'awaited' } })],
    'shows what Ray says': [running({ answer: says('PENDING') }), '→ Running/PENDING'],
    'shows what only a newer Ray says': [running({ answer: says('PAUSED') }), '→ Running/PAUSED'],
    'is complete when Ray and the submitter are done': [
      running({ answer: says('SUCCEEDED'), submitter: done() }),
      '→ Complete/SUCCEEDED',
    ],
    'is complete when it was stopped': [running({ answer: says('STOPPED'), submitter: done() }), '→ Complete/STOPPED'],
    'has failed when Ray says so': [
      running({ answer: says('FAILED'), submitter: done() }),
      '→ Failed/FAILED AppFailed',
    ],
    'waits for its submitter': [running({ answer: says('SUCCEEDED') }), '→ Running/SUCCEEDED'],
    'needs no submitter in HTTPMode': [
      running({ answer: says('SUCCEEDED'), spec: { submissionMode: 'HTTPMode' }, submitter: undefined }),
      '→ Complete/SUCCEEDED',
    ],
    'gets its cluster back': [running({ cluster: undefined }), 'create RayCluster job-x'],
    'gets its Service back': [running({ headService: undefined }), 'create Service job-head-svc'],
    'moves its Service to the cluster of a new attempt': [
      running({ headService: { ...running().headService, selectsCluster: 'old' } as never }),
      'patch Service demo-head-svc',
    ],
    'leaves a Service of its name to the cluster or service that it belongs to': [
      running({ headService: { ...running().headService, owner: 'another', selectsCluster: 'job' } as never }),
      'Warning FailedToUpdateService: Failed to update the service default/demo-head-svc, it is not controlled by this RayJob and is left alone; delete or rename it, or rename the RayJob',
    ],
    'makes no Service for a cluster that it only selects': [
      running({
        headService: undefined,
        spec: { rayClusterSpec: undefined, clusterSelector: { 'ray.io/cluster': 'job-x' } } as object,
      }),
    ],
    'cannot be asked about without a token': [
      running({ answer: { kind: 'unreachable', why: 'failed to get auth secret a/b' } }),
      'fail: failed to get auth secret a/b',
    ],
  });

  it('leaves a Service of its name alone that nobody controls', () => {
    const headService = {
      ...running().headService,
      owner: undefined,
      selectsCluster: undefined,
      selectorKeys: ['app'],
    };
    expect(planJob(running({ headService: headService as never })).actions).toMatchObject([
      { type: 'event', event: { severity: 'Warning', reason: 'FailedToUpdateService' } },
    ]);
  });

  it('gives its Service the annotations that the head’s Service is to have', () => {
    const { spec = { headGroupSpec: { template: {} } } } = cluster('ready');
    const headGroupSpec = { ...spec.headGroupSpec, headService: { metadata: { annotations: { a: 'b' } } } };
    const observed = running({
      headService: undefined,
      cluster: cluster('ready', { spec: { ...spec, headGroupSpec } }),
    });
    expect(planJob(observed).actions[0]).toMatchObject({ objects: [{ metadata: { annotations: { a: 'b' } } }] });
  });

  it('shows when Ray started and ended it, and keeps what Ray no longer says', () => {
    const first = planJob(running({ answer: says('PENDING', { startTime: NOW - 5000 }) })).status;
    expect(first?.rayJobInfo).toEqual({ startTime: ago(5) });
    const observed = running({
      answer: says('SUCCEEDED', { endTime: NOW - 1000 }),
      submitter: done(),
      status: { rayJobInfo: { startTime: ago(5) } },
    });
    expect(planJob(observed).status?.rayJobInfo).toEqual({ startTime: ago(5), endTime: ago(1) });
  });

  it('is not written for words alone', () => {
    expect(planJob(running({ answer: says('RUNNING', { message: 'epoch 7' }) })).status).toBeUndefined();
  });

  it('counts its success, and ends when it is written', () => {
    const { status } = planJob(running({ answer: says('SUCCEEDED'), submitter: done() }));
    expect(status).toMatchObject({ succeeded: 1, failed: 0, endTime: ago(0) });
  });
});
