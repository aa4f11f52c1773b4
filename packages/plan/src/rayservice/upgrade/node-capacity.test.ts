import { rayClusterSpec, workerGroup } from '@manta/api/testing';
import { describe, expect, it } from 'vitest';
import { amountsOf } from '../../amounts.ts';
import { ServiceWorld, type ServiceWorldOptions } from '../../testing/service-world.ts';

const GPU = 'nvidia.com/gpu';

/** A service whose workers ask for GPUs, on nodes that have so many each. */
function running(gpusOfNodes: readonly number[] | undefined, options: ServiceWorldOptions = {}) {
  const template = (gpus: number) => ({
    spec: { containers: [{ name: 'ray', image: 'ray:1', resources: { limits: { [GPU]: gpus, cpu: '500m' } } }] },
  });
  const world = new ServiceWorld({
    ...options,
    spec: {
      rayClusterConfig: rayClusterSpec({
        headGroupSpec: { rayStartParams: {}, template: { spec: { containers: [{ name: 'ray', image: 'ray:1' }] } } },
        workerGroupSpecs: [workerGroup('big', { replicas: 2, template: template(4) })],
      }),
      ...options.spec,
    },
  });
  world.settle();
  world.nodes = gpusOfNodes?.map((gpus) => ({ allocatable: amountsOf({ [GPU]: gpus, cpu: '4' }) }));
  return world;
}

function warnings(world: ServiceWorld): readonly (string | undefined)[] {
  world.editImage('ray:new');
  world.settle(5);
  return world.events.filter(({ reason }) => reason === 'UpgradeLacksRoom').map(({ note }) => note);
}

describe('an upgrade for which there is no room', () => {
  it('is warned of once, before its cluster is made, and begins all the same', () => {
    const world = running([4, 4, 4]);
    const [first, ...others] = warnings(world);
    expect(first).toMatch(
      /^The upgrade will find no room: the old and the new cluster together ask for 16 nvidia.com\/gpu, and all nodes together have 12 nvidia.com\/gpu; RayCluster .* goes on serving$/,
    );
    expect(others).toEqual([]);
    expect(world.clusters.size).toBe(2);
  });

  it('is warned of where a pod is larger than every node', () => {
    const [note] = warnings(running([2, 2, 2, 2, 2, 2, 2, 2, 2, 2]));
    expect(note).toContain(
      'no node is large enough for a pod of the worker group big, which asks for 500m cpu, 4 nvidia.com/gpu',
    );
  });

  it.each([
    ['where the nodes have room for both', [8, 8], {}],
    ['where the old cluster goes first', [4, 4], { spec: { upgradeStrategy: { type: 'Recreate' } } }],
    ['where nobody looks at the nodes', undefined, {}],
    ['where no node is known', [], {}],
  ] as const)('is not warned of %s', (_, gpus, options) => {
    expect(warnings(running(gpus, options))).toEqual([]);
  });

  it('is not warned of for the first cluster of a service, which has no other choice', () => {
    const world = new ServiceWorld();
    world.nodes = [{ allocatable: amountsOf({}) }];
    world.settle();
    expect(world.events.filter(({ reason }) => reason === 'UpgradeLacksRoom')).toEqual([]);
  });
});
