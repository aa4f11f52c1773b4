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
