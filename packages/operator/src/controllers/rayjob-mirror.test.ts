import type { RayCluster, RayClusterStatus, RayJob, RayJobSpec, Service } from '@manta/api';
import { rayClusterSpec } from '@manta/api/testing';
import { resources } from '@manta/kube';
import { FakeHead } from '@manta/ray/testing';
import { FakeClient, FakeClock } from '@manta/runtime/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runRayJobController } from '../testing/rayjob-controller.ts';

const REF = { name: 'job', namespace: 'ml' };
let clock: FakeClock;
let client: FakeClient;
let stop: AbortController;

beforeEach(async () => {
  clock = new FakeClock();
  client = new FakeClient({ clock });
  const head = new FakeHead({ now: () => clock.now() });
  stop = runRayJobController({ clock, client, events: [], headAt: () => head });
  await clock.advance(100);
});
afterEach(() => stop.abort());

const status = async () => (await client.get<RayJob>(resources.rayJobs, REF)).status ?? {};
const copy = async () => (await status()).rayClusterStatus ?? {};
const clusterRef = async () => ({ name: (await status()).rayClusterName ?? '', namespace: 'ml' });
const jobWrites = () =>
  client.requests.filter(({ verb, path }) => verb === 'patch' && path.endsWith('/rayjobs/job')).length;

async function create(spec: Partial<RayJobSpec> = {}): Promise<void> {
  const rest = { entrypoint: 'python a.py', rayClusterSpec: rayClusterSpec(), ...spec };
  await client.create<RayJob>(resources.rayJobs, { metadata: REF, spec: rest });
  await clock.advance(2000);
  await client.create<Service>(resources.services, {
    metadata: { name: `${(await clusterRef()).name}-head-svc`, namespace: 'ml' },
    spec: { ports: [{ name: 'dashboard', port: 8265 }] },
  });
  await clock.advance(2000);
}

/** What the RayCluster controller would write. */
async function clusterSays(body: RayClusterStatus): Promise<void> {
  const patch = { type: 'merge', body: { status: body } } as const;
  await client.patch<RayCluster>(resources.rayClusters, await clusterRef(), patch, { subresource: 'status' });
  await clock.settle();
}

describe('the copy of the cluster’s status in a RayJob', () => {
  it('is written after one second, once for all changes until then', async () => {
    await create();
    const before = jobWrites();
    await clusterSays({ desiredWorkerReplicas: 3 });
    await clock.advance(400);
    await clusterSays({ readyWorkerReplicas: 1 });
    await clock.advance(500);
    expect(await copy()).not.toHaveProperty('desiredWorkerReplicas');
    await clock.advance(101);
    expect(await copy()).toMatchObject({ desiredWorkerReplicas: 3, readyWorkerReplicas: 1 });
    expect(jobWrites() - before).toBe(1);
  });

  it('is written at once when the cluster’s state changes', async () => {
    await create();
    await clusterSays({ state: 'failed' });
    expect(await copy()).toMatchObject({ state: 'failed' });
  });

  it('goes along when the job is handed to its submitter: no other write follows', async () => {
    await create({ submissionMode: 'K8sJobMode' });
    const before = jobWrites();
    await clusterSays({ state: 'ready' });
    expect(await status()).toMatchObject({ jobDeploymentStatus: 'Running', rayClusterStatus: { state: 'ready' } });
    await clock.advance(1500);
    expect(jobWrites() - before).toBe(1);
  });
});
