import { describe, expect, it } from 'vitest';
import { restingService, ServiceWorld, type ServiceWorldOptions } from '../testing/service-world.ts';

const isTrue = (world: ServiceWorld, type: string) =>
  world.status.conditions?.find((condition) => condition.type === type)?.status === 'True';
const incremental: ServiceWorldOptions['spec'] = {
  upgradeStrategy: {
    type: 'NewClusterWithIncrementalUpgrade',
    clusterUpgradeOptions: { gatewayClassName: 'g', stepSizePercent: 50, intervalSeconds: 1 },
  },
};

describe('suspending a service', () => {
  it('is written down before anything is deleted', () => {
    const world = restingService();
    world.edit({ suspend: true });
    const plan = world.reconcile();
    expect(plan.actions).toEqual([]);
    expect(world.reason('Suspending')).toBe('SuspendRequested');
    expect([world.active, world.clusters.size]).toEqual(['', 1]);
    expect(world.status.observedGeneration).toBe(world.service.metadata?.generation);
  });

  it('takes down clusters and Services, and says so in every condition', () => {
    const world = restingService();
    world.edit({ suspend: true });
    world.settle(10);
    expect([world.clusters.size, world.services.size]).toEqual([0, 0]);
    const conditions = (world.status.conditions ?? []).map(({ type, status, reason }) => `${type}=${status}/${reason}`);
    expect(conditions.toSorted()).toEqual([
      'Ready=False/SuspendComplete',
      'RollbackInProgress=False/SuspendComplete',
      'Suspended=True/SuspendComplete',
      'Suspending=False/SuspendComplete',
      'UpgradeInProgress=False/SuspendComplete',
    ]);
  });

  it('takes down both clusters of an upgrade, and Gateway and route', () => {
    const rayClusterConfig = restingService().service.spec?.rayClusterConfig;
    if (rayClusterConfig === undefined) throw new Error('no config');
    const world = restingService({
      spec: { ...incremental, rayClusterConfig: { ...rayClusterConfig, enableInTreeAutoscaling: true } },
    });
    world.editImage('ray:new');
    world.settle(4);
    expect(world.clusters.size).toBe(2);
    world.edit({ suspend: true });
    world.settle(10);
    expect([world.clusters.size, world.gateway, world.route]).toEqual([0, undefined, undefined]);
    expect(isTrue(world, 'Suspended')).toBe(true);
  });

  it('is carried to its end even when it is taken back meanwhile, and the service returns on another cluster', () => {
    const world = restingService();
    const old = world.active;
    world.edit({ suspend: true });
    world.reconcile();
    world.edit({ suspend: false });
    world.reconcile();
    expect(isTrue(world, 'Suspending')).toBe(true);
    world.settle(15);
    expect(world.active).not.toBe(old);
    expect(world.reason('Ready')).toBe('NonZeroServeEndpoints');
    expect(world.reason('Suspended')).toBe('RayServiceResumed');
  });

  it('from the start makes nothing, and an edit meanwhile is not looked at', () => {
    const world = restingService({ spec: { suspend: true } });
    expect([world.clusters.size, isTrue(world, 'Suspended')]).toEqual([0, true]);
    const seen = world.status.observedGeneration;
    world.editImage('ray:new');
    const plan = world.reconcile();
    expect([plan.actions, plan.status, world.status.observedGeneration]).toEqual([[], undefined, seen]);
    world.edit({ suspend: false });
    world.settle(10);
    const image = world.serveOf(world.active).cluster.spec?.headGroupSpec.template.spec?.containers[0]?.image;
    expect(image).toBe('ray:new');
  });

  it('starts the time limit for coming up anew', () => {
    const world = new ServiceWorld({ deploysAs: 'DEPLOYING' });
    world.edit({ suspend: true }, { 'ray.io/initializing-timeout': '30s' });
    world.settle(120);
    world.edit({ suspend: false });
    world.settle(20);
    expect(world.reason('Ready')).toBe('Initializing');
    world.settle(20);
    expect(world.reason('Ready')).toBe('InitializingTimeout');
  });
});

describe('a time limit for coming up', () => {
  it('gives up when it is over, for good, and the clusters go after their delay', () => {
    const world = new ServiceWorld({ deploysAs: 'DEPLOYING', spec: { rayClusterDeletionDelaySeconds: 5 } });
    world.edit({}, { 'ray.io/initializing-timeout': '30s' });
    world.settle(20);
    expect(world.clusters.size).toBe(1);
    world.settle(20);
    expect(world.reason('Ready')).toBe('InitializingTimeout');
    expect(world.message('Ready')).toMatch(/within the configured timeout of 30s\. Time spent initializing: 3\ds$/);
    expect(world.events.filter(({ reason }) => reason === 'RayServiceInitializingTimeout')).toHaveLength(1);
    expect([world.active, world.pending, world.clusters.size]).toEqual(['', '', 0]);
    world.editImage('ray:new');
    world.edit({}, { 'ray.io/initializing-timeout': '10m' });
    world.settle(60);
    expect([world.reason('Ready'), world.clusters.size]).toEqual(['InitializingTimeout', 0]);
  });

  it('is over once the service was ready', () => {
    const world = new ServiceWorld();
    world.edit({}, { 'ray.io/initializing-timeout': '30s' });
    world.settle(10);
    Object.assign(world.serveOf(world.active), { workers: 0, isProxyHealthy: false });
    world.settle(120);
    expect(world.reason('Ready')).toBe('ZeroServeEndpoints');
  });
});

describe('a spec that is refused', () => {
  it('is told once, and what runs goes on', () => {
    const world = restingService();
    const old = world.active;
    world.edit({ upgradeStrategy: { type: 'NewCluster' }, rayClusterDeletionDelaySeconds: -1 });
    world.settle(10);
    expect(world.reason('Ready')).toBe('ValidationFailed');
    expect(world.events.filter(({ reason }) => reason === 'InvalidRayServiceSpec')).toHaveLength(1);
    expect([world.active, world.clusters.size, world.services.size]).toEqual([old, 1, 2]);
    world.edit({ rayClusterDeletionDelaySeconds: 1 });
    world.settle(10);
    expect(world.reason('Ready')).toBe('NonZeroServeEndpoints');
  });
});
