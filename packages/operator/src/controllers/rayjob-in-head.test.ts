import type { RayJob } from '@manta/api';
import { rayClusterSpec } from '@manta/api/testing';
import { resources } from '@manta/kube';
import { FakeClient, FakeClock } from '@manta/runtime/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runRayJobController } from '../testing/rayjob-controller.ts';

const JOB = { name: 'job', namespace: 'ml' };
let clock: FakeClock;
let client: FakeClient;
let stop: AbortController;

beforeEach(async () => {
  clock = new FakeClock();
  client = new FakeClient({ clock });
  await start();
});
afterEach(() => stop.abort());

/** A new process: it knows nothing of the one before. */
async function start(): Promise<void> {
  const headAt = () => undefined;
  stop = runRayJobController({ clock, client, events: [], headAt });
  await clock.advance(100);
}

async function create(): Promise<void> {
  const spec = { entrypoint: 'python a.py', submissionMode: 'SidecarMode', rayClusterSpec: rayClusterSpec() } as const;
  await client.create<RayJob>(resources.rayJobs, { metadata: JOB, spec });
  await clock.advance(1000);
}

const refuseClusters = (isRefused: boolean) => {
  client.faults.onRequest = ({ verb, path }) => {
    if (isRefused && verb === 'create' && path.includes('rayclusters')) throw new Error('not today');
  };
};
const clusters = async () => (await client.list(resources.rayClusters)).items.map(({ metadata }) => metadata?.name);
const attempts = async () =>
  (await client.get<RayJob>(resources.rayJobs, JOB)).status?.attempts?.map(({ number, outcome }) => [number, outcome]);

describe('the cluster of a job that is submitted from within its head', () => {
  it('is made at once, and once', async () => {
    await create();
    await clock.advance(20_000);
    expect(await clusters()).toHaveLength(1);
    expect(await attempts()).toEqual([[1, undefined]]);
  });

  it('is made when the server no longer refuses it, which is no other attempt', async () => {
    refuseClusters(true);
    await create();
    await clock.advance(30_000);
    refuseClusters(false);
    await clock.advance(60_000);
    expect(await clusters()).toHaveLength(1);
    expect(await attempts()).toEqual([[1, undefined]]);
  });

  it('is made again when it was deleted, but first that is written down', async () => {
    await create();
    const [name = ''] = await clusters();
    await client.delete(resources.rayClusters, { name, namespace: JOB.namespace });
    const told: unknown[] = [];
    client.faults.onRequest = ({ verb, path }) => {
      if (verb === 'create' && path.includes('rayclusters')) told.push(attempts());
    };
    await clock.advance(10_000);
    const twice = [
      [1, 'Lost'],
      [2, undefined],
    ];
    expect(await Promise.all(told)).toEqual([twice]);
    expect(await clusters()).toEqual([name]);
    await clock.advance(30_000);
    expect(await attempts()).toEqual(twice);
  });

  it('is not made again while the server does not let that be written down', async () => {
    await create();
    const [name = ''] = await clusters();
    await client.delete(resources.rayClusters, { name, namespace: JOB.namespace });
    client.faults.onRequest = ({ verb, path }) => {
      if (verb === 'patch' && path.includes('rayjobs')) throw new Error('not today');
    };
    await clock.advance(60_000);
    expect(await clusters()).toEqual([]);
    client.faults.onRequest = undefined;
    await clock.advance(60_000);
    expect(await clusters()).toEqual([name]);
  });

  it('is made by a process that starts when it only has a name, as another attempt', async () => {
    refuseClusters(true);
    await create();
    stop.abort();
    await clock.settle();
    refuseClusters(false);
    await start();
    await clock.advance(10_000);
    expect(await clusters()).toHaveLength(1);
    expect(await attempts()).toEqual([
      [1, 'Lost'],
      [2, undefined],
    ]);
  });
});
