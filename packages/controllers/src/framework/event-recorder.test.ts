import { timestamp } from '@manta/api';
import { describe, expect, it } from 'vitest';
import { createEventRecorder } from './event-recorder.ts';
import { configMaps, events, nodes } from './kinds.ts';
import { startTestCluster } from '../testing/test-cluster.ts';

describe('an event', () => {
  it('says who says what about whom, in the form of the real controllers', async () => {
    const test = await startTestCluster();
    const about = await test.create(configMaps, 'x');
    await createEventRecorder(test.cluster, 'some-controller')(about, 'Warning', 'Odd', 'something is odd');
    const now = timestamp(test.clock.now());
    expect(test.all(events)[0]).toMatchObject({
      metadata: { name: expect.stringMatching(/^x\.[0-9a-f]{16}$/), namespace: 'default' },
      involvedObject: {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        name: 'x',
        namespace: 'default',
        uid: about.metadata.uid,
        resourceVersion: about.metadata.resourceVersion,
      },
      type: 'Warning',
      reason: 'Odd',
      message: 'something is odd',
      count: 1,
      firstTimestamp: now,
      lastTimestamp: now,
      source: { component: 'some-controller' },
      reportingComponent: 'some-controller',
    });
  });

  it('that is said again is counted, not repeated', async () => {
    const test = await startTestCluster();
    const about = await test.create(configMaps, 'x');
    const record = createEventRecorder(test.cluster, 'c');
    await record(about, 'Normal', 'A', 'a');
    await test.advance(60);
    await record(about, 'Normal', 'A', 'a');
    await record(about, 'Normal', 'B', 'b');
    expect(test.all(events).map(({ reason, count, lastTimestamp }) => [reason, count, lastTimestamp])).toEqual([
      ['A', 2, timestamp(test.clock.now())],
      ['B', 1, timestamp(test.clock.now())],
    ]);
  });

  it('about something outside namespaces goes to the default one', async () => {
    const test = await startTestCluster();
    await createEventRecorder(test.cluster, 'c')(test.get(nodes, 'node-1'), 'Normal', 'A', 'a');
    expect(test.names(events)).toHaveLength(1);
  });

  it('of two controllers about namesakes in the same moment is not lost', async () => {
    const test = await startTestCluster();
    const about = await test.create(configMaps, 'x');
    await createEventRecorder(test.cluster, 'one')(about, 'Normal', 'A', 'a');
    await createEventRecorder(test.cluster, 'two')(about, 'Normal', 'B', 'b');
    expect(test.said()).toEqual(['Normal A: a', 'Normal B: b']);
  });

  it('that cannot be written is lost, and nothing else', async () => {
    const test = await startTestCluster();
    const about = await test.create(configMaps, 'x');
    const lost = { ...about, metadata: { ...about.metadata, namespace: 'nowhere' } };
    const record = createEventRecorder(test.cluster, 'c');
    await expect(record(lost, 'Normal', 'A', 'a')).resolves.toBeUndefined();
  });
});
