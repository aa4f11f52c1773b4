import { describe, expect, it } from 'vitest';
import { eventsOf, podsOfCluster } from './lookup.ts';
import { ago, cluster, event, NAMESPACE, pod, readyPod, recorded, seen } from './testing/index.ts';
import { missingRights } from './world.ts';

describe('podsOfCluster()', () => {
  it('gives the pods of one cluster, head first and deleted pods last', () => {
    const leaving = pod('demo-0', {
      metadata: { deletionTimestamp: ago(1), labels: readyPod('x').metadata?.labels ?? {} },
    });
    const world = recorded({
      pods: seen(leaving, readyPod('demo-w', 'demo', 'worker'), readyPod('other-head', 'other'), readyPod('demo-head')),
    });
    const names = podsOfCluster(world, cluster()).map(({ metadata }) => metadata?.name);
    expect(names).toEqual(['demo-head', 'demo-w', 'demo-0']);
  });
});

describe('eventsOf()', () => {
  it('gives the events of one object, newest first', () => {
    const older = { ...event('Pod', 'a', 'Old', ''), deprecatedLastTimestamp: ago(500) };
    const world = recorded({ events: seen(older, event('Pod', 'a', 'New', ''), event('Pod', 'b', 'Other', '')) });
    const reasons = eventsOf(world, { kind: 'Pod', namespace: NAMESPACE, name: 'a' }).map(({ reason }) => reason);
    expect(reasons).toEqual(['New', 'Old']);
  });
});

describe('missingRights()', () => {
  it('names each right once', () => {
    const right = 'list pods in namespace team-a';
    const world = recorded({ pods: { kind: 'unreadable', right }, nodes: { kind: 'unreadable', right: 'list nodes' } });
    expect(missingRights(world)).toEqual([right, 'list nodes']);
  });
});
