import { describe, expect, it } from 'vitest';
import { allReady } from '../testing/cases/case.ts';
import { POD_CASES } from '../testing/cases/pods.ts';
import { cluster, NAMESPACE, pod, recorded, seen } from '../testing/index.ts';
import { summary } from './summary.ts';

describe('summary()', () => {
  it('lists problems first', () => {
    const healthy = allReady();
    const items = healthy.rayClusters.kind === 'seen' ? healthy.rayClusters.items : [];
    const page = summary(recorded({ ...healthy, rayClusters: seen(...items, cluster({ name: 'broken' })) }));
    expect(page.objects.map(({ ref, why }) => [ref.name, why.health])).toEqual([
      ['broken', 'unhealthy'],
      ['demo', 'healthy'],
    ]);
  });

  it('says conditions in words with their age', () => {
    const ref = { kind: 'RayCluster', namespace: NAMESPACE, name: 'demo' } as const;
    const head = {
      type: 'HeadPodReady',
      status: 'False',
      reason: 'X',
      message: 'pulling',
      lastTransitionTime: '2026-11-18T11:55:00Z',
    } as const;
    const page = summary(recorded({ rayClusters: seen(cluster({ status: { conditions: [head] } })) }), ref);
    expect(page.objects[0]?.conditions).toEqual(['the head is not ready (for 5m): pulling']);
  });

  it('adds up what pods request and what waits for a node', () => {
    const spec = (nodeName?: string) => ({
      ...(nodeName === undefined ? {} : { nodeName }),
      containers: [
        { name: 'c', image: 'i', resources: { requests: { cpu: '2', memory: '1Gi', 'nvidia.com/gpu': '1' } } },
      ],
    });
    const pods = seen(pod('a', { spec: spec('n') }), pod('b', { spec: spec() }, 'demo', 'worker'));
    const nodes = seen({ metadata: { name: 'n' }, status: { allocatable: { cpu: '4', memory: '8Gi' } } });
    expect(summary(recorded({ rayClusters: seen(cluster()), pods, nodes })).resources).toEqual([
      { resource: 'cpu', requested: '4', waiting: '2', allocatable: '4' },
      { resource: 'memory', requested: '2Gi', waiting: '1Gi', allocatable: '8Gi' },
      { resource: 'nvidia.com/gpu', requested: '2', waiting: '1', allocatable: '0' },
    ]);
  });

  it('works in every recorded world', () => {
    for (const { world } of POD_CASES) expect(summary(world).objects).toHaveLength(1);
  });
});
