import { defaultFeatureGates, type RayCronJob, type RayCronJobSpec, type RayJob } from '@manta/api';
import { rayClusterSpec } from '@manta/api/testing';
import { resources } from '@manta/kube';
import { createMetricsRegistry, type EventInput, silentLogger } from '@manta/runtime';
import { FakeClient, FakeClock, seededRandom } from '@manta/runtime/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createRayCronJobCache } from '../observe/raycronjob-cache.ts';
import { createRayCronJobController } from './raycronjob.ts';

const REF = { name: 'cron', namespace: 'ml' };
const MINUTE = 60_000;
const START = Date.parse('2026-03-01T09:30:00Z');
let clock: FakeClock;
let client: FakeClient;
let events: EventInput[];
let stop: AbortController;

beforeEach(async () => {
  clock = new FakeClock(START);
  client = new FakeClient({ clock });
  events = [];
  await start();
});
afterEach(() => stop.abort());

async function start(): Promise<void> {
  stop = new AbortController();
  const world = { clock, client, random: seededRandom(1), log: silentLogger, metrics: createMetricsRegistry() };
  const cache = createRayCronJobCache(world, { namespaces: [], hasChildren: true });
  const controller = createRayCronJobController(world, {
    gates: { ...defaultFeatureGates(), RayCronJob: true, RayCronJobPolicies: true },
    events: { event: (input) => void events.push(input) },
    cache,
    concurrency: 2,
  });
  for (const informer of [cache.cronJobs, cache.children]) void informer?.run(stop.signal);
  void controller.run(stop.signal, new AbortController().signal);
  await clock.advance(100);
}

async function apply(spec: Partial<RayCronJobSpec> = {}): Promise<void> {
  await client.create<RayCronJob>(resources.rayCronJobs, {
    metadata: { ...REF, creationTimestamp: new Date(clock.now()).toISOString() },
    spec: { schedule: '0 * * * *', timeZone: 'UTC', jobTemplate: { rayClusterSpec: rayClusterSpec() }, ...spec },
  });
  await clock.advance(100);
}

const times = async () =>
  (await client.list<RayJob>(resources.rayJobs)).items
    .map(({ metadata }) => metadata?.annotations?.['ray.io/cronjob-scheduled-timestamp']?.slice(11, 16) ?? '')
    .toSorted();
const lastServed = async () => (await client.get<RayCronJob>(resources.rayCronJobs, REF)).status?.lastScheduleTime;
const end = async (time: string, jobDeploymentStatus: 'Complete' | 'Failed') => {
  const name = `cron-${Date.parse(`2026-03-01T${time}:00Z`) / MINUTE}`;
  const ref = { name, namespace: 'ml' };
  await client.patch(
    resources.rayJobs,
    ref,
    { type: 'merge', body: { status: { jobDeploymentStatus } } },
    { subresource: 'status' },
  );
  await clock.advance(1000);
};

describe('the RayCronJob controller', () => {
  it('makes a RayJob when its time has come, and not before', async () => {
    await apply();
    await clock.advance(29 * MINUTE);
    expect(await times()).toEqual([]);
    await clock.advance(2 * MINUTE);
    expect(await times()).toEqual(['10:00']);
    expect(await lastServed()).toBe('2026-03-01T10:00:00Z');
    await clock.advance(60 * MINUTE);
    expect(await times()).toEqual(['10:00', '11:00']);
  });

  it('makes up for what it missed while it was away, each time once', async () => {
    await apply();
    stop.abort();
    await clock.advance(3 * 60 * MINUTE);
    expect(await times()).toEqual([]);
    await start();
    await clock.advance(1000);
    expect(await times()).toEqual(['10:00', '11:00', '12:00']);
    expect(await lastServed()).toBe('2026-03-01T12:00:00Z');
  });

  it('does not count a time as served while its RayJob is refused', async () => {
    let refusals = 3;
    client.faults.onRequest = ({ verb, path }) => {
      if (verb === 'create' && path.includes('/rayjobs') && refusals-- > 0) throw new Error('exceeded quota');
    };
    await apply();
    await clock.advance(31 * MINUTE);
    expect(await times()).toEqual(['10:00']);
    expect(events.map(({ reason }) => reason)).toContain('FailedToCreateRayJob');
  });

  it('starts the next RayJob as soon as the one that it waits for has ended', async () => {
    await apply({ concurrencyPolicy: 'Forbid' });
    await clock.advance(121 * MINUTE);
    expect(await times()).toEqual(['10:00']);
    await end('10:00', 'Complete');
    expect(await times()).toEqual(['10:00', '11:00']);
  });

  it('deletes what goes beyond the limits when a RayJob ends', async () => {
    await apply({ successfulJobsHistoryLimit: 1 });
    await clock.advance(91 * MINUTE);
    await end('10:00', 'Complete');
    expect(await times()).toEqual(['10:00', '11:00']);
    await end('11:00', 'Complete');
    expect(await times()).toEqual(['11:00']);
  });

  it('goes to rest when nothing is due', async () => {
    await apply({ schedule: '0 0 1 1 *' });
    const before = client.requests.length;
    await clock.advance(60 * MINUTE);
    expect(client.requests.slice(before).filter(({ verb }) => verb !== 'watch')).toEqual([]);
  });
});
