import type { Job, RayCluster, RayJob, RayJobSpec, Service } from '@manta/api';
import { rayClusterSpec } from '@manta/api/testing';
import { resources } from '@manta/kube';
import { FakeHead } from '@manta/ray/testing';
import type { EventInput } from '@manta/runtime';
import { FakeClient, FakeClock } from '@manta/runtime/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runRayJobController } from '../testing/rayjob-controller.ts';

const NAMESPACE = 'ml';
let clock: FakeClock;
let client: FakeClient;
let events: EventInput[];
/** By the name of their cluster. */
let heads: Map<string, FakeHead>;
let stop: AbortController;

beforeEach(async () => {
  clock = new FakeClock();
  client = new FakeClient({ clock });
  events = [];
  heads = new Map();
  await start();
});
afterEach(() => stop.abort());

/** A new process: it knows nothing of the one before. */
async function start(): Promise<void> {
  const headAt = (origin: string) => heads.get(/^http:\/\/(.*)-head-svc\./.exec(origin)?.[1] ?? '');
  stop = runRayJobController({ clock, client, events, headAt });
  await clock.advance(100);
}

async function restart(): Promise<void> {
  stop.abort();
  await clock.settle();
  await start();
}

async function create(spec: Partial<RayJobSpec> = {}, name = 'job'): Promise<void> {
  await client.create<RayJob>(resources.rayJobs, {
    metadata: { name, namespace: NAMESPACE },
    spec: { entrypoint: 'python a.py', submissionMode: 'HTTPMode', rayClusterSpec: rayClusterSpec(), ...spec },
  });
  await clock.advance(1000);
}

/** What the RayCluster controller would do, and Ray with it. */
async function bringUp(name = 'job'): Promise<FakeHead> {
  const cluster = (await status(name)).rayClusterName ?? '';
  const made = await client.get<RayCluster>(resources.rayClusters, { name: cluster, namespace: NAMESPACE });
  const uid = made.metadata?.uid ?? '';
  const ownerReferences = [{ apiVersion: 'ray.io/v1', kind: 'RayCluster', name: cluster, uid, controller: true }];
  await client.create<Service>(resources.services, {
    metadata: { name: `${cluster}-head-svc`, namespace: NAMESPACE, ownerReferences },
    spec: { ports: [{ name: 'dashboard', port: 8265 }], selector: { 'ray.io/cluster': cluster } },
  });
  const head = new FakeHead({ now: () => clock.now() });
  heads.set(cluster, head);
  await client.patch<RayCluster>(resources.rayClusters, { name: cluster, namespace: NAMESPACE }, ready, sub);
  await clock.advance(1000);
  return head;
}

const ready = { type: 'merge', body: { status: { state: 'ready' } } } as const;
const sub = { subresource: 'status' } as const;
const job = (name = 'job') => client.get<RayJob>(resources.rayJobs, { name, namespace: NAMESPACE });
const status = async (name = 'job') => (await job(name)).status ?? {};
const stage = async (name = 'job') => {
  const { jobDeploymentStatus = 'New', jobStatus = '-' } = await status(name);
  return `${jobDeploymentStatus}/${jobStatus}`;
};
const clusters = async () => (await client.list(resources.rayClusters)).items.map(({ metadata }) => metadata?.name);
const writes = () => client.requests.filter(({ verb }) => !['get', 'list', 'watch'].includes(verb)).length;

async function says(head: FakeHead, jobStatus: string, name = 'job'): Promise<void> {
  head.setJob((await status(name)).jobId ?? '', { status: jobStatus });
  await clock.advance(6000);
}

async function submitterEnds(type: 'Complete' | 'Failed'): Promise<void> {
  const lastTransitionTime = new Date(clock.now()).toISOString();
  const body = { status: { conditions: [{ type, status: 'True', lastTransitionTime }] } };
  await client.patch<Job>(resources.jobs, { name: 'job', namespace: NAMESPACE }, { type: 'merge', body }, sub);
  await clock.advance(6000);
}

describe('a cluster that was made for a RayJob', () => {
  const late = async (labels: Record<string, string>, uid: string) => {
    const ownerReferences = [{ apiVersion: 'ray.io/v1', kind: 'RayJob', name: 'job', uid, controller: true }];
    await client.create<RayCluster>(resources.rayClusters, {
      metadata: { name: 'job-late', namespace: NAMESPACE, labels, ownerReferences },
      spec: rayClusterSpec(),
    });
    await clock.advance(1000);
  };
  const labels = { 'ray.io/originated-from-cr-name': 'job', 'ray.io/originated-from-crd': 'RayJob' };

  it('and comes after its attempt is over is deleted, and the cluster in use stays', async () => {
    await create();
    const { rayClusterName } = await status();
    await late(labels, (await job()).metadata?.uid ?? '');
    expect(await clusters()).toEqual([rayClusterName]);
    expect(events.at(-1)).toMatchObject({
      reason: 'DeletedRayCluster',
      note: 'Deleted cluster ml/job-late of an earlier attempt',
    });
  });

  it('of the same name that is gone is left to the garbage collector', async () => {
    await create();
    await late(labels, 'another-uid');
    expect(await clusters()).toContain('job-late');
  });

  it('by a user, who owns it through the job, is left alone', async () => {
    await create();
    await late({}, (await job()).metadata?.uid ?? '');
    expect(await clusters()).toContain('job-late');
  });
});

describe('a RayJob in HTTPMode', () => {
  it('runs once, from its creation to its end, though the operator is restarted at every step', async () => {
    await create();
    await restart();
    const head = await bringUp();
    await restart();
    expect(await stage()).toBe('Running/PENDING');
    await says(head, 'RUNNING');
    await restart();
    await says(head, 'SUCCEEDED');
    await restart();
    expect(await stage()).toBe('Complete/SUCCEEDED');
    expect(head.executions).toHaveLength(1);
    expect(await clusters()).toHaveLength(1);
  });

  it('runs once though the answer to its submission is lost', async () => {
    await create();
    const lost = (request: { method: string }) => (request.method === 'POST' ? ({ kind: 'lost' } as const) : undefined);
    const bringing = bringUp();
    await clock.settle();
    for (const head of heads.values()) head.moodFor = lost;
    const head = await bringing;
    await clock.advance(20_000);
    expect(await stage()).toBe('Running/PENDING');
    expect(head.executions).toHaveLength(1);
  });

  it('is recorded as what Ray says when it ended while the operator was away, past its deadline', async () => {
    await create({ activeDeadlineSeconds: 60 });
    const head = await bringUp();
    stop.abort();
    head.setJob((await status()).jobId ?? '', { status: 'SUCCEEDED' });
    await clock.advance(600_000);
    await start();
    await clock.advance(6000);
    expect(await stage()).toBe('Complete/SUCCEEDED');
  });

  it('is not run once more when it ended while the operator was away and somebody suspended it', async () => {
    await create({ shutdownAfterJobFinishes: true, ttlSecondsAfterFinished: 3600 });
    const head = await bringUp();
    stop.abort();
    head.setJob((await status()).jobId ?? '', { status: 'SUCCEEDED' });
    const suspend = { type: 'merge', body: { spec: { suspend: true } } } as const;
    await client.patch(resources.rayJobs, { name: 'job', namespace: NAMESPACE }, suspend);
    await start();
    await clock.advance(6000);
    expect(await stage()).toBe('Complete/SUCCEEDED');
  });

  it('is lost when the cluster that it was sent to is deleted and does not come back; its user is told once', async () => {
    await client.create<RayCluster>(resources.rayClusters, {
      metadata: { name: 'shared', namespace: NAMESPACE },
      spec: rayClusterSpec(),
    });
    await create({ rayClusterSpec: undefined as never, clusterSelector: { 'ray.io/cluster': 'shared' } });
    await bringUp();
    await client.delete(resources.rayClusters, { name: 'shared', namespace: NAMESPACE });
    await clock.advance(290_000);
    expect(await stage()).toBe('Running/PENDING');
    await clock.advance(15_000);
    expect(await stage()).toBe('Failed/PENDING');
    expect(await status()).toMatchObject({ reason: 'JobStatusCheckTimeoutExceeded', attempts: [{ outcome: 'Lost' }] });
    expect(events.filter(({ reason }) => reason === 'RayClusterNotFound')).toHaveLength(1);
  });

  it('is stopped in Ray at its deadline', async () => {
    await create({ activeDeadlineSeconds: 60 });
    const head = await bringUp();
    await clock.advance(60_000);
    expect(await stage()).toBe('Failed/PENDING');
    expect([...head.jobs.values()].map((each) => each.status)).toEqual(['STOPPED']);
  });

  it('is stopped in Ray at its deadline though the head was away at that time', async () => {
    await create({ activeDeadlineSeconds: 60 });
    const head = await bringUp();
    await clock.advance(50_000);
    head.mood = { kind: 'dead' };
    await clock.advance(60_000);
    expect(await stage()).toBe('Failed/PENDING');
    head.mood = { kind: 'well' };
    await clock.advance(20_000);
    expect([...head.jobs.values()].map((each) => each.status)).toEqual(['STOPPED']);
  });

  it('is stopped in Ray when it is deleted, and then goes', async () => {
    await create();
    const head = await bringUp();
    await client.delete(resources.rayJobs, { name: 'job', namespace: NAMESPACE });
    await clock.advance(2000);
    expect([...head.jobs.values()].map((each) => each.status)).toEqual(['STOPPED']);
    await expect(job()).rejects.toThrow(/not found/);
  });

  it('goes within seconds though its head does not answer', async () => {
    await create();
    const head = await bringUp();
    head.mood = { kind: 'hanging' };
    await client.delete(resources.rayJobs, { name: 'job', namespace: NAMESPACE });
    await clock.advance(12_000);
    await expect(job()).rejects.toThrow(/not found/);
  });

  it('is tried again on a new cluster, under a new id', async () => {
    await create({ backoffLimit: 1 });
    const before = await status();
    const head = await bringUp();
    await says(head, 'FAILED');
    const after = await status();
    expect(after).toMatchObject({ jobDeploymentStatus: 'Initializing', failed: 1 });
    expect(after.rayClusterName).not.toBe(before.rayClusterName);
    expect(after.jobId).not.toBe(before.jobId);
    expect(await clusters()).toEqual([after.rayClusterName]);
  });

  it('is given up, as lost, when its head stays silent', async () => {
    await create({ backoffLimit: 3 });
    const head = await bringUp();
    head.mood = { kind: 'dead' };
    await clock.advance(330_000);
    const { reason, failed, attempts } = await status();
    expect({ reason, failed, outcome: attempts?.[0]?.outcome }).toEqual({
      reason: 'JobStatusCheckTimeoutExceeded',
      failed: 1,
      outcome: 'Lost',
    });
  });

  it('costs nothing while nothing happens', async () => {
    await create();
    const head = await bringUp();
    await says(head, 'RUNNING');
    const before = writes();
    await clock.advance(600_000);
    expect(writes()).toBe(before);
  });

  it('takes no more than nine writes from its creation to its clean-up', async () => {
    await create({ shutdownAfterJobFinishes: true });
    const head = await bringUp();
    await says(head, 'RUNNING');
    await says(head, 'SUCCEEDED');
    expect(await clusters()).toEqual([]);
    // Our own create of the job, the Service of its cluster, and that cluster's status are not the controller's.
    expect(writes() - 3).toBeLessThanOrEqual(9);
  });

  it('is not delayed by another whose head hangs', async () => {
    await Promise.all([create({}, 'one'), create({}, 'two'), create({}, 'three')]);
    for (const name of ['one', 'two']) (await bringUp(name)).mood = { kind: 'hanging' };
    const head = await bringUp('three');
    await says(head, 'SUCCEEDED', 'three');
    expect(await stage('three')).toBe('Complete/SUCCEEDED');
  });

  it('is shown as it is by a head that answers nonsense', async () => {
    await create();
    const head = await bringUp();
    await says(head, 'RUNNING');
    head.mood = { kind: 'wrong', body: '<html>no</html>' };
    await clock.advance(20_000);
    expect(await status()).toMatchObject({ jobStatus: 'RUNNING', jobStatusCheckFailureStartTime: expect.any(String) });
    head.mood = { kind: 'well' };
    await clock.advance(20_000);
    expect(await status()).not.toHaveProperty('jobStatusCheckFailureStartTime');
  });
});

describe('what the server refuses', () => {
  const refuse = (verb: string, path: RegExp) => {
    client.faults.onRequest = (request) => {
      if (request.verb === verb && path.test(request.path)) throw new Error('not today');
    };
  };
  const notes = () => events.map(({ type, reason, note }) => `${type} ${reason}: ${note}`);

  it('is told when it is a cluster, and tried again', async () => {
    refuse('create', /rayclusters/);
    await create();
    const { rayClusterName } = await status();
    expect(notes()).toContain(
      `Warning FailedToCreateRayCluster: Failed to create RayCluster ml/${rayClusterName}: not today`,
    );
    client.faults.onRequest = undefined;
    await clock.advance(60_000);
    expect(notes()).toContain(`Normal CreatedRayCluster: Created RayCluster ml/${rayClusterName}`);
  });

  it('is told when it is a submitter, and the job does not run', async () => {
    refuse('create', /jobs\.batch|batch\/v1.*jobs/);
    await create({ submissionMode: 'K8sJobMode' });
    await bringUp();
    expect(await stage()).toBe('Initializing/-');
    const told = 'Failed to create new Kubernetes Job ml/job: not today';
    expect(notes()).toContain(`Warning FailedToCreateRayJobSubmitter: ${told}`);
  });

  it('does not hold up the job when it is only its Service', async () => {
    await create();
    const head = await bringUp();
    refuse('create', /services/);
    await client.delete(resources.services, { name: 'job-head-svc', namespace: NAMESPACE });
    await says(head, 'RUNNING');
    expect(await stage()).toBe('Running/RUNNING');
    expect(notes()).toContain('Warning FailedToCreateService: Failed to create the service ml/job-head-svc, not today');
    client.faults.onRequest = undefined;
    await clock.advance(10_000);
    await expect(client.get(resources.services, { name: 'job-head-svc', namespace: NAMESPACE })).resolves.toBeDefined();
  });

  it('is told when it is a deletion, and the job stays where it is', async () => {
    await create({ submissionMode: 'K8sJobMode', shutdownAfterJobFinishes: true });
    await bringUp();
    const { rayClusterName } = await status();
    refuse('delete', /./);
    const suspend = { type: 'merge', body: { spec: { suspend: true } } } as const;
    await client.patch(resources.rayJobs, { name: 'job', namespace: NAMESPACE }, suspend);
    await clock.advance(3000);
    expect(await stage()).toBe('Suspending/-');
    expect(notes()).toContain(
      `Warning FailedToDeleteRayCluster: Failed to delete cluster ml/${rayClusterName}: not today`,
    );
  });
});

describe('a RayJob with a submitter', () => {
  const submitted = async (): Promise<FakeHead> => {
    await create({ submissionMode: 'K8sJobMode' });
    const head = await bringUp();
    await says(head, 'RUNNING');
    return head;
  };

  it('outlives a submitter that failed for good, and succeeds', async () => {
    const head = await submitted();
    await submitterEnds('Failed');
    await clock.advance(120_000);
    expect(await stage()).toBe('Running/RUNNING');
    await says(head, 'SUCCEEDED');
    expect(await stage()).toBe('Complete/SUCCEEDED');
  });

  it('waits for its submitter', async () => {
    const head = await submitted();
    await says(head, 'SUCCEEDED');
    expect(await stage()).toBe('Running/SUCCEEDED');
    await submitterEnds('Complete');
    expect(await stage()).toBe('Complete/SUCCEEDED');
  });

  it('gets another one when Ray has no job and somebody deleted it', async () => {
    const head = await submitted();
    head.jobs.clear();
    const ref = { name: 'job', namespace: NAMESPACE };
    const { metadata } = await client.get(resources.jobs, ref);
    await client.delete(resources.jobs, ref);
    await clock.advance(6000);
    expect((await client.get(resources.jobs, ref)).metadata?.uid).not.toBe(metadata?.uid);
  });

  it('is suspended and resumed under new names', async () => {
    await create({ submissionMode: 'K8sJobMode', shutdownAfterJobFinishes: true });
    const before = await status();
    await bringUp();
    const suspend = (value: boolean) =>
      client.patch(
        resources.rayJobs,
        { name: 'job', namespace: NAMESPACE },
        {
          type: 'merge',
          body: { spec: { suspend: value } },
        },
      );
    await suspend(true);
    await clock.advance(3000);
    expect(await stage()).toBe('Suspended/-');
    expect(await clusters()).toEqual([]);
    await suspend(false);
    await clock.advance(3000);
    expect(await stage()).toBe('Initializing/-');
    expect((await status()).rayClusterName).not.toBe(before.rayClusterName);
  });
});
