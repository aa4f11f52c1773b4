import { rayClusterSpec } from '@manta/api/testing';
import { describe, expect, it } from 'vitest';
import { ServiceWorld } from '../testing/service-world.ts';

/** A service that has come to rest. */
function running(): ServiceWorld {
  const world = new ServiceWorld();
  world.settle(10);
  return world;
}

const reasons = (world: ServiceWorld) => world.events.map(({ reason }) => reason);

describe('a running service that is edited', () => {
  it('gets a head Service with an address when that is asked for, though the one before had none', () => {
    const world = running();
    expect(world.services.get('svc-head-svc')?.spec?.clusterIP).toBe('None');
    const { headGroupSpec } = rayClusterSpec();
    world.edit({ rayClusterConfig: rayClusterSpec({ headGroupSpec: { ...headGroupSpec, serviceType: 'NodePort' } }) });
    world.settle(20);
    expect(world.pending).toBe('');
    expect(world.services.get('svc-head-svc')?.spec).toMatchObject({ type: 'NodePort' });
    expect(world.services.get('svc-head-svc')?.spec).not.toHaveProperty('clusterIP');
    expect(reasons(world)).toContain('DeletedService');
  });

  it('keeps trying a refused edit of its configuration at growing intervals, though Serve took the one before', () => {
    const world = running();
    const { configs } = world.serveOf(world.active);
    const before = configs.length;
    world.refusal = 'no such import path';
    world.edit({ serveConfigV2: 'applications: [other]' });
    world.settle(61);
    expect(configs.length - before).toBeLessThan(10);
    expect(configs.length - before).toBeGreaterThan(4);
    world.refusal = undefined;
    world.settle(11);
    const taken = configs.length;
    world.settle(30);
    expect(configs.length).toBe(taken);
  });
});

describe('a Service under a name that a service needs', () => {
  /** As a cluster or job of the same name has it, and as a user may have copied it. */
  const belongs = (world: ServiceWorld, name: string, selected: string) => {
    const live = world.services.get(name) ?? {};
    const other = { apiVersion: 'ray.io/v1', kind: 'RayCluster', name: 'svc', uid: 'other', controller: true };
    const spec = { ...live.spec, selector: { 'ray.io/cluster': selected } };
    world.services.set(name, { ...live, metadata: { ...live.metadata, ownerReferences: [other] }, spec });
  };
  const selected = (world: ServiceWorld, name: string) => world.services.get(name)?.spec?.selector?.['ray.io/cluster'];

  it.each(['svc-head-svc', 'svc-serve-svc'])(
    'and is another’s (%s) goes on leading to its own pods, and that is told once',
    (name) => {
      const world = running();
      belongs(world, name, 'theirs');
      world.settle(20);
      expect(selected(world, name)).toBe('theirs');
      const told = world.events.filter(({ reason }) => reason === 'FailedToUpdateService');
      expect(told.map(({ note }) => note)).toEqual([
        `Failed to update the service ml/${name}, it is not controlled by this RayService and is left alone; delete or rename it, or choose another name`,
      ]);
    },
  );

  it('keeps nobody from serving when it is only the head’s', () => {
    const world = running();
    belongs(world, 'svc-head-svc', 'theirs');
    world.editImage('ray:new');
    world.settle(40);
    expect(world.pending).toBe('');
    expect(selected(world, 'svc-serve-svc')).toBe(world.active);
  });
});
