import type { RayCluster } from '@manta/api';
import { rayClusterSpec } from '@manta/api/testing';
import { resources } from '@manta/kube';
import { FakeHead } from '@manta/ray/testing';
import { FakeClient, FakeClock } from '@manta/runtime/testing';
import { expect, it } from 'vitest';
import { runRayClusterController } from '../testing/raycluster-controller.ts';

it('a plan that takes long makes no head where another instance has made one, noted it and replaced it meanwhile', async () => {
  const clock = new FakeClock();
  const client = new FakeClient({ clock });
  const stage = { clock, client, events: [], headAt: () => new FakeHead({ now: () => clock.now() }) };
  const demo = { name: 'demo', namespace: 'ml' };
  const headNames = async () => (await client.list(resources.pods)).items.map(({ metadata }) => metadata?.name ?? '');

  const { promise: isAnswered, resolve: answer } = Promise.withResolvers<void>();
  const create = client.create.bind(client);
  client.create = async (type, object, options) => {
    const made = await create(type, object, options);
    if (type === resources.services) await isAnswered;
    return made;
  };
  const late = runRayClusterController(stage);
  await client.create<RayCluster>(resources.rayClusters, { metadata: demo, spec: rayClusterSpec() });
  await clock.advance(1000);
  expect(await headNames()).toEqual([]);

  // For this one there is a Service already.
  const quick = runRayClusterController(stage);
  await clock.advance(5000);
  const [first = ''] = await headNames();
  const { status } = await client.get<RayCluster>(resources.rayClusters, demo);
  expect(status?.head?.podName).toBe(first);
  await client.delete(resources.pods, { ...demo, name: first });
  await clock.advance(5000);
  const heads = await headNames();
  expect(heads).toHaveLength(1);
  quick.abort();

  answer();
  await clock.advance(5000);
  expect(await headNames()).toEqual(heads);
  late.abort();
});
