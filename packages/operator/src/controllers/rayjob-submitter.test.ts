import type { Job, KubeObject, Pod, RayCluster, RayJob, Service } from '@manta/api';
import { rayClusterSpec } from '@manta/api/testing';
import { resources } from '@manta/kube';
import { FakeHead } from '@manta/ray/testing';
import type { EventInput } from '@manta/runtime';
import { FakeClient, FakeClock } from '@manta/runtime/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runRayJobController } from '../testing/rayjob-controller.ts';

const NAMESPACE = 'ml';
const NO_ROOM = '0/1 nodes are available: 1 Insufficient cpu.';
const MESSAGE = `The submitter does not start: pod job-x7k2p: cannot be scheduled: ${NO_ROOM}`;
let clock: FakeClock;
let client: FakeClient;
let events: EventInput[];
let stop: AbortController;

const run = () =>
  runRayJobController({ clock, client, events, headAt: () => new FakeHead({ now: () => clock.now() }) });
const status = async () =>
  (await client.get<RayJob>(resources.rayJobs, { name: 'job', namespace: NAMESPACE })).status ?? {};
const writes = () => client.requests.filter(({ verb }) => !['get', 'list', 'watch'].includes(verb)).length;
const warnings = () => events.filter(({ type }) => type === 'Warning').map(({ reason, note }) => `${reason}: ${note}`);
const owner = (kind: string, { metadata }: KubeObject) => [
  { apiVersion: 'v1', kind, name: metadata?.name ?? '', uid: metadata?.uid ?? '', controller: true },
];

beforeEach(async () => {
  clock = new FakeClock();
  client = new FakeClient({ clock });
  events = [];
  stop = run();
  await clock.advance(100);
  await client.create<RayJob>(resources.rayJobs, {
    metadata: { name: 'job', namespace: NAMESPACE },
    spec: { entrypoint: 'python a.py', rayClusterSpec: rayClusterSpec() },
  });
  await clock.advance(1000);
  await bringUp((await status()).rayClusterName ?? '');
});
afterEach(() => stop.abort());

/** The cluster is ready, and its head answers that it knows no job. */
async function bringUp(name: string): Promise<void> {
  const cluster = await client.get<RayCluster>(resources.rayClusters, { name, namespace: NAMESPACE });
  await client.create<Service>(resources.services, {
    metadata: { name: `${name}-head-svc`, namespace: NAMESPACE, ownerReferences: owner('RayCluster', cluster) },
    spec: { ports: [{ name: 'dashboard', port: 8265 }], selector: { 'ray.io/cluster': name } },
  });
  const patch = { type: 'merge', body: { status: { state: 'ready' } } } as const;
  await client.patch(resources.rayClusters, { name, namespace: NAMESPACE }, patch, { subresource: 'status' });
  await clock.advance(1000);
}

/** What the Job controller and the scheduler do. */
async function podWithoutRoom(): Promise<void> {
  const job = await client.get<Job>(resources.jobs, { name: 'job', namespace: NAMESPACE });
  await client.create<Pod>(resources.pods, {
    metadata: {
      name: 'job-x7k2p',
      namespace: NAMESPACE,
      labels: job.spec?.template.metadata?.labels ?? {},
      ownerReferences: owner('Job', job),
    },
    spec: { containers: [{ name: 'ray-job-submitter' }] },
  });
  await condition({ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: NO_ROOM });
}

async function condition(scheduled: Record<string, string>): Promise<void> {
  const patch = { type: 'merge', body: { status: { phase: 'Pending', conditions: [scheduled] } } } as const;
  await client.patch(resources.pods, { name: 'job-x7k2p', namespace: NAMESPACE }, patch, { subresource: 'status' });
  await clock.advance(6000);
}

describe('a RayJob whose submitter has no room', () => {
  it('reports it in its message and in one Warning event', async () => {
    await podWithoutRoom();
    expect(await status()).toMatchObject({ jobDeploymentStatus: 'Running', message: MESSAGE });
    expect(warnings()).toEqual([`SubmitterNotStarted: ${MESSAGE}`]);
  });

  it('writes nothing more while the trouble lasts, even after a restart of the operator', async () => {
    await podWithoutRoom();
    const before = writes();
    await clock.advance(60_000);
    stop.abort();
    await clock.settle();
    stop = run();
    await clock.advance(60_000);
    expect(writes()).toBe(before);
    expect(warnings()).toHaveLength(1);
  });

  it('removes the message when the submitter starts', async () => {
    await podWithoutRoom();
    await condition({ type: 'PodScheduled', status: 'True' });
    expect(await status()).not.toHaveProperty('message');
  });
});
