import { describe, expect, it } from 'vitest';
import { allReady, meta } from '../testing/cases/case.ts';
import { cluster, pod, recorded, seen } from '../testing/index.ts';
import { type TreeNode, tree } from './tree.ts';

const lines = (nodes: readonly TreeNode[], depth = 0): readonly string[] =>
  nodes.flatMap(({ ref, says, role, code, health, children }) => [
    `${'  '.repeat(depth)}${ref.kind}/${ref.name}${role === undefined ? '' : ` [${role}]`} ${health}: ${says}${code === undefined ? '' : ` ${code}`}`,
    ...lines(children, depth + 1),
  ]);

describe('tree()', () => {
  it('shows a RayService with its clusters, groups and pods, and no cluster twice', () => {
    const owned = allReady('demo-a');
    const [item] = owned.rayClusters.kind === 'seen' ? owned.rayClusters.items : [];
    const mine = {
      ...item,
      metadata: {
        ...item?.metadata,
        ownerReferences: [{ apiVersion: 'ray.io/v1', kind: 'RayService', name: 'demo', uid: 'u' }],
      },
    };
    const service = {
      metadata: meta('demo'),
      status: {
        numServeEndpoints: 3,
        conditions: [{ type: 'Ready', status: 'True', reason: 'X', message: '', lastTransitionTime: '' }] as const,
        activeServiceStatus: { rayClusterName: 'demo-a', trafficRoutedPercent: 80 },
      },
    };
    expect(lines(tree(recorded({ ...owned, rayClusters: seen(mine), rayServices: seen(service) })))).toEqual([
      'RayService/demo waiting: ready, 3 serve endpoints',
      '  RayCluster/demo-a [active, 80% of traffic] ok: head ready, 2 of 2 workers ready',
      '    group/head ok: 1 of 1 ready',
      '      Pod/demo-a-head ok: ready',
      '    group/gpu ok: 2 of 2 ready',
      '      Pod/demo-a-w1 ok: ready',
      '      Pod/demo-a-w2 ok: ready',
    ]);
  });

  it('puts the code of a cause on the object that has it', () => {
    const status = {
      phase: 'Pending',
      conditions: [
        {
          type: 'PodScheduled',
          status: 'False',
          reason: 'Unschedulable',
          message: 'no nodes available to schedule pods',
        },
      ],
    };
    const shown = lines(tree(recorded({ rayClusters: seen(cluster()), pods: seen(pod('demo-head', { status })) })));
    expect(shown).toEqual([
      'RayCluster/demo bad: head not ready, 0 of 2 workers ready',
      '  group/head bad: 0 of 1 ready',
      '    Pod/demo-head bad: pending NoNodes',
      '  group/gpu waiting: 0 of 2 ready',
    ]);
  });
});
