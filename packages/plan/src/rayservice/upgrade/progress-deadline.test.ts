import { rayClusterSpec, workerGroup } from '@manta/api/testing';
import { describe, expect, it } from 'vitest';
import { ServiceWorld, type ServiceWorldOptions } from '../../testing/service-world.ts';

const ANNOTATION = 'ray.io/upgrade-progress-deadline';
const FAILED = 'ray.io/failed-upgrade';
const config = rayClusterSpec({ enableInTreeAutoscaling: true, workerGroupSpecs: [workerGroup('workers')] });
const incremental: ServiceWorldOptions['spec'] = {
  rayClusterConfig: config,
  upgradeStrategy: {
    type: 'NewClusterWithIncrementalUpgrade',
    clusterUpgradeOptions: { gatewayClassName: 'g', maxSurgePercent: 50, stepSizePercent: 25, intervalSeconds: 1 },
  },
};

/** A service that serves, with a deadline of a minute for its upgrades. */
function running(spec: ServiceWorldOptions['spec'] = {}): ServiceWorld {
  const world = new ServiceWorld({ spec });
  world.edit({}, { [ANNOTATION]: '1m' });
  world.settle(10);
  return world;
}

const told = (world: ServiceWorld) => world.events.filter(({ reason }) => reason === 'UpgradeRolledBack');

describe.each<[string, ServiceWorldOptions['spec']]>([
  ['NewCluster', {}],
  ['NewClusterWithIncrementalUpgrade', incremental],
])('an upgrade with a deadline (%s)', (_, spec) => {
  it('that gets nowhere is rolled back, told once with the reason, and not tried again', () => {
    const world = running(spec);
    const old = world.active;
    world.deploysAs = 'DEPLOY_FAILED';
    world.editImage('ray:broken', { serveConfigV2: 'applications: [{name: broken}]' });
    world.settle(180);
    expect([world.active, world.pending, world.clusters.size]).toEqual([old, '', 1]);
    expect(told(world)).toHaveLength(1);
    expect(told(world)[0]?.note).toContain('application app is DEPLOY_FAILED');
    expect(world.reason('UpgradeInProgress')).toBe('ProgressDeadlineExceeded');
    expect(world.reason('Ready')).toBe('NonZeroServeEndpoints');
    expect(JSON.stringify(world.serveOf(old).configs)).not.toContain('broken');
  });

  it('that was rolled back stays so after a restart, also when the head of the old cluster restarts', () => {
    const world = running(spec);
    const old = world.active;
    world.deploysAs = 'DEPLOY_FAILED';
    world.editImage('ray:broken', { serveConfigV2: 'applications: [{name: broken}]' });
    world.settle(180);
    world.deploysAs = 'RUNNING';
    world.loseHead(old);
    world.settle(3);
    world.returnHead(old);
    world.settle(20);
    expect(JSON.stringify(world.serveOf(old).configs)).not.toContain('broken');
    expect(world.reason('Ready')).toBe('NonZeroServeEndpoints');
    world.restart();
    world.settle(100);
    expect([world.active, world.pending]).toEqual([old, '']);
  });

  it('begins anew when the spec changes', () => {
    const world = running(spec);
    const old = world.active;
    world.deploysAs = 'DEPLOY_FAILED';
    world.editImage('ray:broken');
    world.settle(180);
    world.deploysAs = 'RUNNING';
    world.editImage('ray:better');
    world.settle(100);
    expect(world.active).not.toBe(old);
    expect(world.reason('UpgradeInProgress')).toBe('NoPendingCluster');
  });

  it('begins anew when the note is taken away', () => {
    const world = running(spec);
    const old = world.active;
    world.deploysAs = 'DEPLOY_FAILED';
    world.editImage('ray:late');
    world.settle(180);
    world.deploysAs = 'RUNNING';
    const { [FAILED]: _note, ...annotations } = world.service.metadata?.annotations ?? {};
    world.service = { ...world.service, metadata: { ...world.service.metadata, annotations } };
    world.settle(100);
    expect(world.active).not.toBe(old);
  });

  it('that got ready while the operator was away is not rolled back for that', () => {
    const world = running(spec);
    const old = world.active;
    world.deploysAs = 'DEPLOYING';
    world.editImage('ray:new');
    world.settle(20);
    world.deploysAs = 'RUNNING';
    world.serveOf(world.pending).applications = { app: { status: 'RUNNING' } };
    world.now += 400_000;
    world.restart();
    world.settle(120);
    expect([world.active === old, world.pending]).toEqual([false, '']);
    expect(told(world)).toEqual([]);
  });

  it('that is still nowhere when the operator returns is rolled back after a look round', () => {
    const world = running(spec);
    const old = world.active;
    world.deploysAs = 'DEPLOYING';
    world.editImage('ray:new');
    world.settle(20);
    world.now += 400_000;
    world.restart();
    world.settle(20);
    expect(told(world)).toEqual([]);
    world.settle(100);
    expect([world.active, world.pending]).toEqual([old, '']);
    expect(told(world)).toHaveLength(1);
  });

  it('is left alone while it moves on', () => {
    const world = running(spec);
    const old = world.active;
    world.editImage('ray:new');
    world.settle(180);
    expect(world.active).not.toBe(old);
    expect(told(world)).toEqual([]);
  });
});

describe('an upgrade whose steps are further apart than its deadline', () => {
  const slow = {
    ...incremental,
    upgradeStrategy: {
      type: 'NewClusterWithIncrementalUpgrade',
      clusterUpgradeOptions: { gatewayClassName: 'g', maxSurgePercent: 50, stepSizePercent: 25, intervalSeconds: 120 },
    },
  } as const;

  it('is not rolled back for the pauses that were asked for', () => {
    const world = running(slow);
    world.settle(130);
    const old = world.active;
    world.editImage('ray:new');
    world.settle(1500);
    expect(told(world)).toEqual([]);
    expect([world.active === old, world.pending]).toEqual([false, '']);
  });

  it('is rolled back when it gets nowhere after a pause', () => {
    const world = running(slow);
    world.settle(130);
    const old = world.active;
    world.deploysAs = 'DEPLOY_FAILED';
    world.editImage('ray:broken');
    world.settle(400);
    expect([world.active, world.pending]).toEqual([old, '']);
    expect(told(world)).toHaveLength(1);
  });
});

describe('an upgrade without a deadline', () => {
  it('waits for ever', () => {
    const world = new ServiceWorld();
    world.settle(10);
    world.deploysAs = 'DEPLOY_FAILED';
    world.editImage('ray:broken');
    world.settle(600);
    expect(world.pending).not.toBe('');
    expect(told(world)).toEqual([]);
  });
});

describe('the strategy Recreate', () => {
  it('deletes the old cluster before it makes the new one', () => {
    const world = new ServiceWorld({ spec: { upgradeStrategy: { type: 'Recreate' } } });
    world.settle(10);
    const old = world.active;
    world.editImage('ray:new');
    const counts = Array.from({ length: 10 }, () => {
      world.settle(1);
      return world.clusters.size;
    });
    expect(Math.max(...counts)).toBe(1);
    expect(world.active).not.toBe(old);
    expect(world.reason('Ready')).toBe('NonZeroServeEndpoints');
  });

  it('makes room for a third one too, when the spec changes again before the second serves', () => {
    const world = new ServiceWorld({ spec: { upgradeStrategy: { type: 'Recreate' } } });
    world.settle(10);
    world.deploysAs = 'DEPLOYING';
    world.editImage('ray:second');
    world.settle(5);
    world.deploysAs = 'RUNNING';
    world.editImage('ray:third');
    const counts = Array.from({ length: 10 }, () => {
      world.settle(1);
      return world.clusters.size;
    });
    expect(Math.max(...counts)).toBe(1);
    const image = world.serveOf(world.active).cluster.spec?.headGroupSpec.template.spec?.containers[0]?.image;
    expect(image).toBe('ray:third');
  });

  it('changes a configuration in place', () => {
    const world = new ServiceWorld({ spec: { upgradeStrategy: { type: 'Recreate' } } });
    world.settle(10);
    const old = world.active;
    world.edit({ serveConfigV2: 'applications: [{name: other}]' });
    world.settle(10);
    expect(world.active).toBe(old);
    expect(JSON.stringify(world.serveOf(old).configs.at(-1))).toContain('other');
  });
});
