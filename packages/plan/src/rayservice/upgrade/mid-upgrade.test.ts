import type { RayServiceSpec } from '@manta/api';
import { rayClusterSpec, workerGroup } from '@manta/api/testing';
import { describe, expect, it } from 'vitest';
import { ServiceWorld } from '../../testing/service-world.ts';

const OLD_CONFIG = 'applications: [{name: old}]';
const NEW_CONFIG = 'applications: [{name: new}]';

/** A service that serves and moves its traffic in steps. */
function running(pace: { maxSurgePercent?: number; intervalSeconds?: number } = {}): ServiceWorld {
  const options = { gatewayClassName: 'g', maxSurgePercent: 50, stepSizePercent: 25, intervalSeconds: 1, ...pace };
  const spec: Partial<RayServiceSpec> = {
    serveConfigV2: OLD_CONFIG,
    rayClusterConfig: rayClusterSpec({ enableInTreeAutoscaling: true, workerGroupSpecs: [workerGroup('workers')] }),
    upgradeStrategy: { type: 'NewClusterWithIncrementalUpgrade', clusterUpgradeOptions: options },
  };
  const world = new ServiceWorld({ spec });
  world.settle(40);
  return world;
}

/** Goes on, second by second, until something is so. */
function until(world: ServiceWorld, isSo: () => boolean): void {
  for (let second = 0; !isSo(); second += 1) {
    if (second === 300) throw new Error('it does not come to that');
    world.settle(1);
  }
}

function stopGateway(world: ServiceWorld): void {
  world.isGatewayReady = false;
  world.gateway = { ...world.gateway, status: {} };
}

const capacities = (world: ServiceWorld, cluster: string) =>
  world.serveOf(cluster).configs.map((each) => each['target_capacity']);

describe('an upgrade by steps', () => {
  /** Plays an upgrade in which one write of the status gets lost; how many writes there were in all. */
  const upgradeWithout = (lost: number) => {
    const world = running();
    const old = world.active;
    world.editImage('ray:new', { serveConfigV2: NEW_CONFIG });
    let writes = 0;
    for (let second = 0; second < 120; second += 1) {
      const { service } = world;
      world.settle(1);
      if (world.status === (service.status ?? {})) continue;
      if (writes === lost) world.service = { ...world.service, status: service.status ?? {} };
      writes += 1;
    }
    return { world, old, writes };
  };

  it('comes to its end though one write of the status is lost, whichever it is', () => {
    const { writes } = upgradeWithout(Number.POSITIVE_INFINITY);
    expect(writes).toBeGreaterThan(10);
    for (let lost = 0; lost < writes; lost += 1) {
      const { world, old } = upgradeWithout(lost);
      expect([lost, world.pending, world.active === old]).toEqual([lost, '', false]);
      expect(world.weights()).toEqual({ [world.active]: 100 });
      expect(capacities(world, world.active).at(-1)).toBe(100);
    }
  });

  it('that is reverted takes no traffic back to a cluster that is dead while the new one serves', () => {
    const world = running({ maxSurgePercent: 100, intervalSeconds: 5 });
    const [old, spec] = [world.active, world.service.spec];
    world.editImage('ray:new', { serveConfigV2: NEW_CONFIG });
    until(world, () => world.weights()[world.pending] === 75);
    const next = world.pending;
    world.loseHead(old);
    world.serveOf(old).workers = 0;
    world.edit({ ...spec });
    world.settle(3);
    for (let second = 0; second < 60; second += 1) {
      expect(world.weights()).toEqual({ [old]: 0, [next]: 100 });
      world.settle(1);
    }
    world.returnHead(old);
    world.serveOf(old).workers = 1;
    world.settle(120);
    expect([world.active, world.pending, world.weights()]).toEqual([old, '', { [old]: 100 }]);
    expect(JSON.stringify(world.serveOf(old).configs.at(-1))).toContain(OLD_CONFIG);
  });

  it('that is to go on without steps gives the new cluster all its capacity before it takes over', () => {
    const world = running({ intervalSeconds: 30 });
    world.editImage('ray:new');
    stopGateway(world);
    world.settle(20);
    const [old, next] = [world.active, world.pending];
    expect(capacities(world, next)).toEqual([0]);
    world.edit({ upgradeStrategy: { type: 'NewCluster' } });
    until(world, () => world.active !== old);
    expect(capacities(world, next)).toEqual([0, 100]);
    world.settle(10);
    expect(world.status.activeServiceStatus).toMatchObject({ rayClusterName: next, targetCapacity: 100 });
    expect(world.services.get('svc-serve-svc')?.spec?.selector?.['ray.io/cluster']).toBe(next);
  });

  it('that is to go on without steps gives the old cluster all its capacity back until then', () => {
    const world = running({ maxSurgePercent: 25 });
    const old = world.active;
    world.editImage('ray:new');
    until(world, () => (world.status.activeServiceStatus?.targetCapacity ?? 100) < 100);
    world.deploysAs = 'DEPLOYING';
    world.serveOf(world.pending).applications = { app: { status: 'DEPLOYING' } };
    world.edit({ upgradeStrategy: { type: 'NewCluster' } });
    world.settle(20);
    expect(world.active).toBe(old);
    expect(capacities(world, old).at(-1)).toBe(100);
    expect(world.status.activeServiceStatus?.targetCapacity).toBe(100);
  });

  it('that is to go on without steps and is reverted leaves the old cluster with all its capacity', () => {
    const world = running({ maxSurgePercent: 25 });
    const [old, spec] = [world.active, world.service.spec];
    world.editImage('ray:new');
    until(world, () => (world.status.activeServiceStatus?.targetCapacity ?? 100) < 100);
    world.edit({ ...spec, upgradeStrategy: { type: 'NewCluster' } });
    world.settle(20);
    expect([world.active, world.pending]).toEqual([old, '']);
    expect(capacities(world, old).at(-1)).toBe(100);
    expect(world.status.activeServiceStatus?.targetCapacity).toBe(100);
  });

  it.each([
    ['a minute', 60_000],
    ['two hours', 7_200_000],
  ])('goes on at once when the clock is put back by %s', (_, ms) => {
    const world = running({ intervalSeconds: 5 });
    world.editImage('ray:new');
    while ((world.status.pendingServiceStatus?.trafficRoutedPercent ?? 0) < 25) world.settle(1);
    world.now -= ms;
    world.settle(60);
    expect(world.pending).toBe('');
    expect(world.weights()).toEqual({ [world.active]: 100 });
  });

  it('gives all traffic to the new cluster when the clock is put back and the old one is lost', () => {
    const world = running();
    world.editImage('ray:new');
    while ((world.status.pendingServiceStatus?.trafficRoutedPercent ?? 0) < 25) world.settle(1);
    const { active, pending } = world;
    world.now -= 3_600_000;
    world.clusters.delete(active);
    world.services.delete(`${active}-serve-svc`);
    world.settle(6);
    expect(world.weights()).toEqual({ [pending]: 100 });
  });

  it('sends nobody to a cluster without capacity when the old one is away for a moment', () => {
    const world = running({ intervalSeconds: 30 });
    world.editImage('ray:new');
    until(world, () => world.weights()[world.pending] !== undefined);
    stopGateway(world);
    const [old, next] = [world.active, world.pending];
    world.reconcile();
    expect(capacities(world, next)).toEqual([0]);
    Object.assign(world.serveOf(old), { workers: 0, isHeadReady: false });
    world.settle(2);
    Object.assign(world.serveOf(old), { workers: 1, isHeadReady: true });
    for (let second = 0; second < 60; second += 1) {
      expect(world.weights()).toEqual({ [old]: 100, [next]: 0 });
      world.settle(1);
    }
  });
});

describe('an upgrade at once', () => {
  it('that takes long gives the old cluster its own applications again when its head restarts', () => {
    const world = new ServiceWorld({ spec: { serveConfigV2: OLD_CONFIG } });
    world.settle(20);
    const old = world.active;
    world.deploysAs = 'DEPLOYING';
    world.editImage('ray:slow', { serveConfigV2: NEW_CONFIG });
    world.settle(20);
    const next = world.serveOf(world.pending);
    world.deploysAs = 'RUNNING';
    world.loseHead(old);
    world.settle(3);
    world.returnHead(old);
    for (let second = 0; second < 60; second += 1) {
      next.applications = { app: { status: 'DEPLOYING' } };
      world.settle(1);
    }
    const { applications, configs } = world.serveOf(old);
    expect(world.active).toBe(old);
    expect(applications).toEqual({ app: { status: 'RUNNING' } });
    expect(configs).toHaveLength(2);
    expect(JSON.stringify(configs)).not.toContain(NEW_CONFIG);
    expect(world.services.get('svc-serve-svc')?.spec?.selector?.['ray.io/cluster']).toBe(old);
  });
});
