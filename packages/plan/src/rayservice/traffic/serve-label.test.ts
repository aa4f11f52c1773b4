import { describe, expect, it } from 'vitest';
import { ServiceWorld } from '../../testing/service-world.ts';

describe('the serve label of a head pod', () => {
  it.each([
    [false, true, 'true'],
    [false, false, 'false'],
    [true, true, 'false'],
    [true, false, 'false'],
  ])('excluded %s, proxy healthy %s: %s', (excludeHeadPodFromServeSvc, isProxyHealthy, expected) => {
    const world = new ServiceWorld({ spec: { excludeHeadPodFromServeSvc } });
    world.settle(3);
    world.serveOf(world.active || world.pending).isProxyHealthy = isProxyHealthy;
    world.settle(3);
    const [head] = world.observe().clusters[0]?.pods ?? [];
    expect(head?.serveLabel).toBe(expected);
  });

  it('stays as it is while nobody has heard of the proxy, and where there is no head or more than one', () => {
    const world = new ServiceWorld();
    world.settle(5);
    const observed = world.observe();
    const patches = (change: (cluster: (typeof observed.clusters)[number]) => object) => {
      const clusters = observed.clusters.map((cluster) => ({ ...cluster, ...change(cluster) }));
      return world.reconcile({ ...observed, clusters }).actions.filter(({ type }) => type === 'patch');
    };
    expect(patches(() => ({ isProxyHealthy: undefined }))).toEqual([]);
    expect(patches(() => ({ pods: [], isProxyHealthy: false }))).toEqual([]);
    expect(patches(({ pods }) => ({ pods: [...pods, ...pods], isProxyHealthy: false }))).toEqual([]);
  });

  it('that cannot be written holds up nothing', () => {
    const world = new ServiceWorld();
    world.settle(5);
    world.serveOf(world.active).isProxyHealthy = false;
    const action = world.reconcile().actions.find(({ type }) => type === 'patch');
    expect(action).toMatchObject({ isOptional: true, target: { uid: expect.stringContaining('head') } });
  });
});
