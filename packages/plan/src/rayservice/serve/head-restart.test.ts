import { describe, expect, it } from 'vitest';
import { restingService } from '../../testing/service-world.ts';

describe('a head that restarts', () => {
  it('gets the configuration again', () => {
    const world = restingService();
    const serve = world.serveOf(world.active);
    const before = serve.configs.length;
    world.loseHead(world.active);
    world.settle(3);
    expect(world.status.activeServiceStatus?.applicationStatuses).toBeUndefined();
    world.returnHead(world.active);
    world.settle(3);
    expect(serve.configs).toHaveLength(before + 1);
    expect(world.reason('Ready')).toBe('NonZeroServeEndpoints');
  });

  it('of a pending cluster holds up neither endpoints nor conditions of the active one', () => {
    const world = restingService();
    world.deploysAs = 'DEPLOYING';
    world.editImage('ray:new');
    world.settle(5);
    world.loseHead(world.pending);
    Object.assign(world.serveOf(world.active), { workers: 0, isProxyHealthy: false });
    world.settle(5);
    expect(world.reason('Ready')).toBe('ZeroServeEndpoints');
  });

  it('is told nothing new by a restart of the operator but its configuration, once', () => {
    const world = restingService();
    const serve = world.serveOf(world.active);
    const before = serve.configs.length;
    world.restart();
    world.settle(30);
    expect(serve.configs).toHaveLength(before + 1);
  });
});
