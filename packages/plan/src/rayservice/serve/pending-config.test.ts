import { describe, expect, it } from 'vitest';
import { restingService, ServiceWorld } from '../../testing/service-world.ts';

const PENDING = { ok: false, isPending: true } as const;

describe('a RayService whose serveConfigV2 is still being parsed', () => {
  it('gets its cluster, and its configuration as soon as that is known', () => {
    const world = new ServiceWorld();
    world.serveConfig = PENDING;
    world.settle(5);
    const serve = world.serveOf(world.pending);
    expect(serve.configs).toEqual([]);
    expect(world.events.filter(({ severity }) => severity === 'Warning')).toEqual([]);
    world.serveConfig = undefined;
    world.settle(5);
    expect(serve.configs).toHaveLength(1);
    expect(world.reason('Ready')).toBe('NonZeroServeEndpoints');
  });

  it('serves its last configuration, and gets it again if its head restarts', () => {
    const world = restingService();
    const serve = world.serveOf(world.active);
    const last = serve.configs.at(-1);
    const before = serve.configs.length;
    world.serveConfig = PENDING;
    world.edit({ serveConfigV2: 'another' });
    world.settle(5);
    expect(serve.configs).toHaveLength(before);
    expect(world.reason('Ready')).toBe('NonZeroServeEndpoints');
    world.loseHead(world.active);
    world.settle(3);
    world.returnHead(world.active);
    world.settle(3);
    expect(serve.configs.slice(before)).toEqual([last]);
    world.serveConfig = undefined;
    world.settle(3);
    expect(serve.configs).toHaveLength(before + 2);
    expect(serve.configs.at(-1)).toMatchObject({ applications: [{ text: 'another' }] });
  });

  it('still takes other changes, such as a deleted worker or a new image, and promotes no cluster with the old configuration', () => {
    const world = restingService();
    const old = world.active;
    world.serveConfig = PENDING;
    world.editImage('ray:new', { serveConfigV2: 'another' });
    world.settle(30);
    expect(world.pending).not.toBe('');
    expect(world.serveOf(world.pending).configs).toEqual([]);
    expect(world.active).toBe(old);
    world.serveConfig = undefined;
    world.settle(10);
    expect(world.active).not.toBe(old);
  });

  it('is sent nothing after a restart of the operator', () => {
    const world = restingService();
    const serve = world.serveOf(world.active);
    const before = serve.configs.length;
    const { status } = world;
    world.restart();
    world.serveConfig = PENDING;
    world.settle(30);
    expect(serve.configs).toHaveLength(before);
    expect(world.status).toEqual(status);
  });
});
