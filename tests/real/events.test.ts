import type { KubeClient } from '@manta/kube';
import { systemClock } from '@manta/kube';
import type { EventInput, EventObject } from '@manta/runtime';
import { createEventBroadcaster, createMetricsRegistry, silentLogger } from '@manta/runtime';
import { afterAll, describe, expect, test } from 'vitest';
import { createTestNamespace } from '../support/namespace.ts';
import { sharedControlPlane } from '../support/shared-control-plane.ts';
import { planeKubeClient } from './plane-kube-client.ts';

const plane = sharedControlPlane();
const admin = await planeKubeClient(plane.admin);
const nobody = await planeKubeClient(plane.user({ name: 'nobody-with-events' }));
afterAll(async () => {
  await admin.close();
  await nobody.close();
});

async function setup(client: KubeClient = admin.client) {
  const namespace = await createTestNamespace(plane, 'events');
  const metrics = createMetricsRegistry();
  const logged: string[] = [];
  const log = { ...silentLogger, error: (message: string) => void logged.push(message) };
  const broadcaster = createEventBroadcaster({
    client,
    clock: systemClock,
    random: Math.random,
    log,
    metrics,
    hostname: 'h',
  });
  const recorder = broadcaster.recorder('raycluster-controller');
  const regarding = { apiVersion: 'ray.io/v1', kind: 'RayCluster', name: 'rc', namespace: namespace.name, uid: 'u-1' };
  const input: EventInput = {
    regarding,
    type: 'Normal',
    reason: 'CreatedWorkerPod',
    action: 'Create',
    note: `Created worker Pod ${namespace.name}/w1`,
  };
  const list = async (at = namespace.name) => {
    const answer = await plane.request('GET', `/apis/events.k8s.io/v1/namespaces/${at}/events`);
    return (answer.body as { items: EventObject[] }).items;
  };
  return { namespace, broadcaster, recorder, input, list, metrics, logged };
}

describe('events on a real API server', () => {
  test('are shown by kubectl with reason, object and note', async () => {
    const { namespace, broadcaster, recorder, input } = await setup();
    recorder.event(input);
    await broadcaster.stop(5000);
    const shown = await plane.kubectl(['get', 'events', '-n', namespace.name]);
    expect(shown).toMatch(/Normal\s+CreatedWorkerPod\s+raycluster\/rc\s+Created worker Pod .*\/w1/);
  });

  test('fold, and their series grows with every doubling', async () => {
    const { broadcaster, recorder, input, list } = await setup();
    for (let n = 0; n < 3; n++) recorder.event(input);
    await expect.poll(async () => (await list()).map((each) => each.series?.count), { timeout: 5000 }).toEqual([3]);
    for (let n = 0; n < 4; n++) recorder.event(input);
    await expect.poll(async () => (await list()).map((each) => each.series?.count), { timeout: 5000 }).toEqual([7]);
    recorder.event(input);
    await broadcaster.stop(5000);
    expect((await list()).map((each) => each.series?.count)).toEqual([8]);
  });

  test('with the longest note, in any script, are accepted', async () => {
    const { broadcaster, recorder, input, list } = await setup();
    recorder.event({ ...input, reason: 'Ascii', note: 'x'.repeat(5000) });
    recorder.event({ ...input, reason: 'Emoji', note: '🚀'.repeat(2000) });
    recorder.event({ ...input, reason: 'LongName', regarding: { ...input.regarding, name: 'n'.repeat(253) } });
    await broadcaster.stop(5000);
    const notes = (await list()).map((each) => `${each.reason} ${Buffer.byteLength(each.note)}`);
    expect(notes.toSorted()).toEqual(['Ascii 1024', 'Emoji 1024', expect.stringContaining('LongName ')]);
  });

  test('about a cluster-scoped object land in default', async () => {
    const { namespace, broadcaster, recorder, input, list } = await setup();
    const regarding = { apiVersion: 'v1', kind: 'Node', name: namespace.name, uid: 'u' };
    recorder.event({ ...input, regarding, related: { ...regarding, kind: 'Namespace' } });
    await broadcaster.stop(5000);
    const found = (await list('default')).filter((each) => each.regarding.name === namespace.name);
    expect(found).toMatchObject([{ regarding, related: { kind: 'Namespace' } }]);
  });

  test('in a namespace that is going away are dropped without a word', async () => {
    const { namespace, broadcaster, recorder, input, metrics, logged } = await setup();
    await namespace.delete();
    recorder.event(input);
    await broadcaster.stop(5000);
    expect(metrics.text()).toContain('manta_events_dropped_total{reason="namespace_gone"} 1');
    expect(logged).toEqual([]);
  });

  test('that we may not write are dropped with one line', async () => {
    const { broadcaster, recorder, input, metrics, logged } = await setup(nobody.client);
    recorder.event(input);
    recorder.event({ ...input, reason: 'Other' });
    await broadcaster.stop(5000);
    expect(metrics.text()).toContain('manta_events_dropped_total{reason="forbidden"} 2');
    expect(logged).toEqual(['Event could not be written']);
  });
});
