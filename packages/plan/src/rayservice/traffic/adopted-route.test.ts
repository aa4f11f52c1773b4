import { rayClusterSpec, workerGroup } from '@manta/api/testing';
import { describe, expect, it } from 'vitest';
import { ServiceWorld } from '../../testing/service-world.ts';
import type { HttpRoute } from '../observed.ts';

const ANNOTATION = 'ray.io/http-route';
const THEIRS = { name: 'theirs', port: 80, weight: 3 };
const route = (backend: string): HttpRoute => ({
  metadata: { name: 'shared', namespace: 'ml' },
  spec: {
    hostnames: ['example.com'],
    parentRefs: [{ name: 'central', namespace: 'infra' }],
    rules: [{ matches: [{ path: '/a' }], filters: [{ type: 'X' }], backendRefs: [{ name: backend, port: 1 }, THEIRS] }],
  },
});

/** A service that shares its traffic in a route of the user's. */
function running(existing: HttpRoute | undefined = route('svc-serve-svc')): ServiceWorld {
  const world = new ServiceWorld({
    spec: {
      rayClusterConfig: rayClusterSpec({ enableInTreeAutoscaling: true, workerGroupSpecs: [workerGroup('workers')] }),
      upgradeStrategy: {
        type: 'NewClusterWithIncrementalUpgrade',
        clusterUpgradeOptions: { gatewayClassName: 'unused', stepSizePercent: 50, intervalSeconds: 1 },
      },
    },
  });
  world.edit({}, { [ANNOTATION]: 'shared' });
  world.route = existing;
  take(world);
  return world;
}

/** What the Gateway of the user does. */
function take(world: ServiceWorld, seconds = 10): void {
  for (let second = 0; second < seconds; second += 1) {
    world.settle(1);
    const conditions = ['Accepted', 'ResolvedRefs'].map((type) => ({ type, status: 'True' }));
    if (world.route !== undefined) world.route = { ...world.route, status: { parents: [{ conditions }] } };
  }
}

describe('a route of the user’s', () => {
  it('gets the backends of the service, and nothing else in it is touched', () => {
    const world = running();
    expect(world.gateway).toBeUndefined();
    const [rule] = world.route?.spec?.rules ?? [];
    expect(world.route?.spec).toMatchObject({ hostnames: ['example.com'], parentRefs: [{ name: 'central' }] });
    expect(rule).toMatchObject({ matches: [{ path: '/a' }], filters: [{ type: 'X' }] });
    expect(rule?.backendRefs).toEqual([
      { name: `${world.active}-serve-svc`, namespace: 'ml', port: 8000, weight: 100 },
      THEIRS,
    ]);
  });

  it('carries an upgrade from one cluster to the next', () => {
    const world = running();
    const old = world.active;
    world.editImage('ray:new');
    take(world, 40);
    expect(world.active).not.toBe(old);
    expect(world.weights()).toEqual({ [world.active]: 100, theirs: 3 });
  });

  it('leads to the serve Service again when the strategy has no steps', () => {
    const world = running();
    world.edit({ upgradeStrategy: { type: 'NewCluster' } });
    take(world);
    expect(world.route?.spec?.rules?.[0]?.backendRefs?.map(({ name }) => name)).toEqual(['svc-serve-svc', 'theirs']);
  });

  it('is not deleted with a suspension', () => {
    const world = running();
    world.edit({ suspend: true });
    take(world);
    expect(world.route).toBeDefined();
  });

  it.each([
    ['does not exist', undefined],
    ['has no backend svc-serve-svc', route('something-else')],
  ])('that %s is told', (words, existing) => {
    const world = running(existing);
    if (existing === undefined) world.route = undefined;
    take(world, 3);
    expect(world.events.map(({ note }) => note).join('\n')).toContain(words);
  });
});
