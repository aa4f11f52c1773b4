import type { RayServiceSpec } from '@manta/api';
import { rayClusterSpec, workerGroup } from '@manta/api/testing';
import { describe, expect, it } from 'vitest';
import { ServiceWorld } from '../../testing/service-world.ts';

interface Pace {
  readonly maxSurgePercent: number;
  readonly stepSizePercent: number;
  readonly intervalSeconds: number;
}

const config = () => rayClusterSpec({ enableInTreeAutoscaling: true, workerGroupSpecs: [workerGroup('workers')] });

function specOf(pace: Partial<Pace> = {}): Partial<RayServiceSpec> {
  const options = { gatewayClassName: 'g', maxSurgePercent: 100, stepSizePercent: 100, intervalSeconds: 1, ...pace };
  const upgradeStrategy = { type: 'NewClusterWithIncrementalUpgrade', clusterUpgradeOptions: options } as const;
  return { rayClusterConfig: config(), upgradeStrategy };
}

function running(pace: Partial<Pace> = {}): ServiceWorld {
  const world = new ServiceWorld({ spec: specOf(pace) });
  world.settle(10);
  return world;
}

/** Capacity and traffic of both sides whenever one of them changed, oldest first. */
function journal(world: ServiceWorld, seconds: number): readonly string[] {
  const lines: string[] = [];
  for (let second = 0; second < seconds; second += 1) {
    world.reconcile();
    world.now += 1000;
    const { activeServiceStatus: a = {}, pendingServiceStatus: p = {} } = world.status;
    const line = `${a.targetCapacity}/${a.trafficRoutedPercent} ${p.targetCapacity ?? '-'}/${p.trafficRoutedPercent ?? '-'}`;
    if (lines.at(-1) !== line) lines.push(line);
  }
  return lines;
}

describe('a service that moves its traffic in steps', () => {
  it('first gets all capacity and all traffic at once, behind a Gateway and a route', () => {
    const world = running();
    expect(world.weights()).toEqual({ [world.active]: 100 });
    expect(world.status.activeServiceStatus).toMatchObject({ targetCapacity: 100, trafficRoutedPercent: 100 });
    expect(world.services.has(`${world.active}-serve-svc`)).toBe(true);
    expect(world.services.has('svc-serve-svc')).toBe(false);
  });

  it('is not ready before an application runs, though pods are', () => {
    const world = new ServiceWorld({ spec: specOf(), deploysAs: 'DEPLOYING' });
    world.settle(10);
    expect(world.reason('Ready')).toBe('Initializing');
    expect(world.status.numServeEndpoints ?? 0).toBe(0);
  });

  it('goes through capacity and traffic in turn', () => {
    const world = running({ maxSurgePercent: 50, stepSizePercent: 25 });
    world.editImage('ray:new');
    expect(journal(world, 60)).toEqual([
      '100/100 0/-',
      '100/100 0/0',
      '100/100 50/0',
      '100/75 50/25',
      '100/50 50/50',
      '50/50 50/50',
      '50/50 100/50',
      '50/25 100/75',
      '50/0 100/100',
      '0/0 100/100',
      '100/100 -/-',
    ]);
  });

  it('waits a whole interval before each step of traffic, the first one too', () => {
    const world = running({ intervalSeconds: 20 });
    world.editImage('ray:new');
    world.settle(15);
    expect(world.status.pendingServiceStatus).toMatchObject({ targetCapacity: 100, trafficRoutedPercent: 0 });
    world.settle(15);
    expect(world.pending).toBe('');
  });

  it.each(['isGatewayReady', 'hasGatewayApi'] as const)('does not move anything while %s is false', (what) => {
    const world = running();
    world[what] = false;
    if (what === 'isGatewayReady') world.gateway = { ...world.gateway, status: {} };
    world.editImage('ray:new');
    world.settle(30);
    expect(world.status.pendingServiceStatus?.targetCapacity).toBe(0);
    expect(world.weights()[world.active]).toBe(100);
  });

  it('gives no traffic to a cluster whose applications do not run', () => {
    const world = running();
    world.deploysAs = 'DEPLOYING';
    world.editImage('ray:new');
    world.settle(60);
    expect(world.weights()[world.pending]).toBe(0);
  });

  it('takes the traffic back at once from a cluster that has lost its pods', () => {
    const world = running({ maxSurgePercent: 50, stepSizePercent: 25, intervalSeconds: 5 });
    world.editImage('ray:new');
    while (world.weights()[world.pending] !== 50) {
      world.reconcile();
      world.now += 1000;
    }
    world.loseHead(world.pending);
    world.serveOf(world.pending).workers = 0;
    world.settle(4);
    expect(world.weights()).toEqual({ [world.active]: 100, [world.pending]: 0 });
  });

  describe('whose head was lost while broken code is deployed', () => {
    const FAILED = { app: { status: 'DEPLOY_FAILED', message: 'no such code' } };
    const HALF_WAY = { maxSurgePercent: 50, stepSizePercent: 25, intervalSeconds: 5 };
    const halfWay = () => {
      const world = running(HALF_WAY);
      world.editImage('ray:new');
      while (world.weights()[world.pending] !== 50) world.settle(1);
      world.deploysAs = 'DEPLOY_FAILED';
      return world;
    };

    it('takes the traffic back from the new cluster, though its pods are ready', () => {
      const world = halfWay();
      world.serveOf(world.pending).applications = FAILED;
      world.settle(4);
      expect(world.weights()).toEqual({ [world.active]: 100, [world.pending]: 0 });
    });

    it('leaves the traffic where deployments of the earlier configuration go on', () => {
      const world = halfWay();
      const serveDeploymentStatuses = { main: { status: 'HEALTHY' } } as const;
      world.serveOf(world.pending).applications = { app: { ...FAILED.app, serveDeploymentStatuses } };
      world.reconcile();
      expect(world.status.pendingServiceStatus).toMatchObject({ trafficRoutedPercent: 50 });
    });

    it('leaves the traffic on an unhealthy deployment that still has a running replica', () => {
      const world = halfWay();
      const serveDeploymentStatuses = { main: { status: 'UNHEALTHY' } } as const;
      const serve = world.serveOf(world.pending);
      serve.applications = { app: { ...FAILED.app, serveDeploymentStatuses } };
      serve.servingReplicas = new Map([['app', 1]]);
      world.reconcile();
      expect(world.status.pendingServiceStatus).toMatchObject({ trafficRoutedPercent: 50 });
    });

    it('takes the traffic back from an unhealthy deployment without a running replica', () => {
      const world = halfWay();
      const serveDeploymentStatuses = { main: { status: 'UNHEALTHY' } } as const;
      const serve = world.serveOf(world.pending);
      serve.applications = { app: { ...FAILED.app, serveDeploymentStatuses } };
      serve.servingReplicas = new Map([['app', 0]]);
      world.settle(4);
      expect(world.weights()).toEqual({ [world.active]: 100, [world.pending]: 0 });
    });

    it('gives all traffic to the new cluster when the old one has nothing to serve', () => {
      const world = halfWay();
      const serveDeploymentStatuses = { main: { status: 'HEALTHY' } } as const;
      world.serveOf(world.active).applications = FAILED;
      world.serveOf(world.pending).applications = { app: { ...FAILED.app, serveDeploymentStatuses } };
      const [old, next] = [world.active, world.pending];
      world.settle(4);
      expect(world.weights()[next]).toBe(100);
      expect(world.weights()[old] ?? 0).toBe(0);
    });

    it('leaves the traffic alone when neither cluster has anything to serve', () => {
      const world = halfWay();
      world.serveOf(world.active).applications = FAILED;
      world.serveOf(world.pending).applications = FAILED;
      world.settle(4);
      expect(world.weights()).toEqual({ [world.active]: 50, [world.pending]: 50 });
    });
  });

  it('takes no word of an earlier life of a head for that of the present one', () => {
    const world = running({ maxSurgePercent: 50, stepSizePercent: 25 });
    world.editImage('ray:new');
    while (!world.submissions.some(({ id }) => id.endsWith('/50/0'))) world.settle(1);
    const serve = world.serveOf(world.pending);
    world.loseHead(world.pending);
    world.returnHead(world.pending);
    world.settle(1);
    const before = serve.configs.length;
    world.settle(3);
    const last = serve.configs.at(-1);
    expect(serve.configs.length).toBeGreaterThan(before);
    expect(world.status.pendingServiceStatus?.targetCapacity).toBe(last?.['target_capacity']);
  });

  it('sends the old cluster its own configuration, not the new one', () => {
    const world = running();
    const old = world.serveOf(world.active);
    world.editImage('ray:new', { serveConfigV2: 'applications: [{name: other}]' });
    world.settle(40);
    expect(JSON.stringify(old.configs)).not.toContain('other');
    expect(old.configs.at(-1)).toMatchObject({ target_capacity: 0 });
  });

  it('sends the old cluster what it says it runs, after a restart in the middle', () => {
    const world = running({ maxSurgePercent: 50, stepSizePercent: 50 });
    const old = world.serveOf(world.active);
    old.deployedConfig = { applications: [{ name: 'app', text: 'as deployed' }] };
    world.editImage('ray:new', { serveConfigV2: 'applications: [{name: other}]' });
    while (world.status.pendingServiceStatus?.targetCapacity !== 50) world.settle(1);
    world.restart();
    world.settle(40);
    expect(JSON.stringify(old.configs)).not.toContain('other');
    expect(old.configs.at(-1)).toMatchObject({ applications: [{ text: 'as deployed' }], target_capacity: 0 });
    expect(world.pending).toBe('');
  });

  it('leads a serve Service that is left from another strategy to the cluster that serves', () => {
    const world = new ServiceWorld({ spec: { rayClusterConfig: config() } });
    world.settle(10);
    world.edit({ upgradeStrategy: specOf().upgradeStrategy ?? {} });
    world.settle(10);
    world.editImage('ray:new');
    world.settle(40);
    expect(world.services.get('svc-serve-svc')?.spec?.selector?.['ray.io/cluster']).toBe(world.active);
  });

  it('keeps a serve Service where it is asked to, which leads to a cluster that serves at every moment of an upgrade', () => {
    const metadata = { name: 'svc', namespace: 'ml', uid: 'u', annotations: { 'ray.io/stable-serve-service': 'true' } };
    const world = new ServiceWorld({ spec: specOf({ stepSizePercent: 25 }), metadata });
    world.settle(10);
    const target = () => world.services.get('svc-serve-svc')?.spec?.selector?.['ray.io/cluster'] ?? '';
    const old = world.active;
    expect(target()).toBe(old);
    world.editImage('ray:new');
    while (world.active === old || world.pending !== '') {
      world.settle(1);
      expect(world.clusters.has(target())).toBe(true);
      expect([old, world.active]).toContain(target());
    }
    world.settle(2);
    expect(target()).toBe(world.active);
  });

  it('takes Gateway and route away when the strategy no longer needs them', () => {
    const world = running();
    world.edit({ upgradeStrategy: { type: 'NewCluster' } });
    world.settle(10);
    expect([world.gateway, world.route]).toEqual([undefined, undefined]);
    expect(world.services.has('svc-serve-svc')).toBe(true);
  });

  it('shares out the whole traffic where steps begin between clusters that another strategy has left', () => {
    const world = running();
    world.editImage('ray:second');
    while (world.status.pendingServiceStatus?.trafficRoutedPercent !== 0) world.settle(1);
    world.edit({ upgradeStrategy: { type: 'NewCluster' } });
    world.settle(20);
    expect(world.pending).toBe('');
    world.deploysAs = 'DEPLOYING';
    world.editImage('ray:third');
    world.settle(2);
    const [active, pending] = [world.active, world.pending];
    world.edit({ upgradeStrategy: specOf().upgradeStrategy ?? {} });
    world.settle(2);
    expect(world.weights()).toEqual({ [active]: 100, [pending]: 0 });
    expect(world.status.activeServiceStatus?.trafficRoutedPercent).toBe(100);
  });

  it('starts the new cluster without replicas of its own, and leaves those of the running one to its autoscaler', () => {
    const world = running();
    const old = world.serveOf(world.active);
    const scaled = workerGroup('workers', { replicas: 4 });
    old.cluster = { ...old.cluster, spec: { ...config(), workerGroupSpecs: [scaled] } };
    world.edit({
      rayClusterConfig: { ...config(), workerGroupSpecs: [workerGroup('workers'), workerGroup('second')] },
    });
    world.settle(5);
    expect(old.cluster.spec?.workerGroupSpecs?.map(({ replicas }) => replicas)).toEqual([4, 1]);
    world.editImage('ray:new');
    world.settle(2);
    expect(world.serveOf(world.pending).cluster.spec?.workerGroupSpecs?.map(({ replicas }) => replicas)).toEqual([
      undefined,
      undefined,
    ]);
  });

  it('says what is missing where the Gateway API is not installed, and begins nothing', () => {
    const world = new ServiceWorld({ spec: specOf() });
    world.hasGatewayApi = false;
    world.settle(10);
    expect(world.reason('Ready')).toBe('GatewayApiNotFound');
    expect(world.events.map(({ reason }) => reason)).toEqual(['GatewayApiNotFound']);
    expect(world.pending).toBe('');
    world.hasGatewayApi = true;
    world.settle(10);
    expect(world.reason('Ready')).toBe('NonZeroServeEndpoints');
  });
});

describe('an upgrade that is turned round', () => {
  it.each([0, 25, 50, 75])('at %i percent gives everything back to the cluster that it came from', (percent) => {
    const world = running({ maxSurgePercent: 50, stepSizePercent: 25 });
    const [old, spec] = [world.active, world.service.spec];
    world.editImage('ray:new');
    while ((world.status.pendingServiceStatus?.trafficRoutedPercent ?? -1) < percent) world.settle(1);
    world.edit({ ...spec });
    world.settle(60);
    expect([world.active, world.pending]).toEqual([old, '']);
    expect(world.weights()).toEqual({ [old]: 100 });
    expect(world.status.activeServiceStatus?.targetCapacity).toBe(100);
    expect(world.reason('RollbackInProgress')).toBe('-');
  });

  it('never has both clusters grow at once, at whichever moment it is', () => {
    for (let moment = 0; moment < 40; moment += 1) {
      const world = running({ maxSurgePercent: 40, stepSizePercent: 40 });
      const [old, spec] = [world.active, world.service.spec];
      world.editImage('ray:new');
      world.settle(moment);
      if (world.active !== old) return;
      world.edit({ ...spec });
      for (let second = 0; second < 60; second += 1) {
        world.settle(1);
        const { activeServiceStatus: active, pendingServiceStatus: pending } = world.status;
        const sum = (active?.targetCapacity ?? 0) + (pending?.targetCapacity ?? 0);
        expect(sum, `turned round after ${moment} s, ${second} s later`).toBeLessThanOrEqual(140);
      }
      expect([world.active, world.pending]).toEqual([old, '']);
    }
    expect.unreachable('the upgrade never came to its end');
  });

  it('goes back even when the new cluster is dead for good', () => {
    const world = running({ maxSurgePercent: 50, stepSizePercent: 50 });
    const [old, spec] = [world.active, world.service.spec];
    world.editImage('ray:new');
    while (world.status.activeServiceStatus?.targetCapacity !== 50) world.settle(1);
    world.loseHead(world.pending);
    world.serveOf(world.pending).workers = 0;
    world.edit({ ...spec });
    world.settle(60);
    expect([world.active, world.pending]).toEqual([old, '']);
    expect(world.weights()).toEqual({ [old]: 100 });
    expect(world.status.activeServiceStatus?.targetCapacity).toBe(100);
  });

  it('goes back in a service that had another strategy before', () => {
    const world = new ServiceWorld({ spec: { rayClusterConfig: config() } });
    world.settle(10);
    const old = world.active;
    world.edit({ upgradeStrategy: specOf({ maxSurgePercent: 50, stepSizePercent: 50 }).upgradeStrategy ?? {} });
    world.settle(10);
    const spec = world.service.spec;
    world.editImage('ray:new');
    world.settle(6);
    world.edit({ ...spec });
    world.settle(60);
    expect([world.active, world.pending]).toEqual([old, '']);
  });

  it('goes forward when the cluster that it would go back to is lost', () => {
    const world = running({ maxSurgePercent: 50, stepSizePercent: 25 });
    const spec = world.service.spec;
    world.editImage('ray:new', { serveConfigV2: 'applications: [{name: other}]' });
    while (world.status.pendingServiceStatus?.trafficRoutedPercent !== 50) world.settle(1);
    world.edit({ ...spec });
    world.settle(1);
    world.clusters.delete(world.active);
    world.settle(120);
    expect(world.pending).toBe('');
    expect(world.reason('Ready')).toBe('NonZeroServeEndpoints');
    expect(world.weights()).toEqual({ [world.active]: 100 });
  });

  it('ends although the old cluster has died for good', () => {
    const world = running({ maxSurgePercent: 50, stepSizePercent: 25 });
    world.editImage('ray:new');
    while (world.status.pendingServiceStatus?.trafficRoutedPercent !== 25) world.settle(1);
    const { active, pending } = world;
    world.loseHead(active);
    world.serveOf(active).workers = 0;
    world.settle(60);
    expect([world.active, world.pending]).toEqual([pending, '']);
  });

  it('goes on to the same cluster when the new spec is applied again', () => {
    const world = running({ maxSurgePercent: 50, stepSizePercent: 25 });
    const first = world.service.spec;
    world.editImage('ray:new');
    const second = world.service.spec;
    while (world.status.pendingServiceStatus?.trafficRoutedPercent !== 50) world.settle(1);
    const next = world.pending;
    world.edit({ ...first });
    world.settle(2);
    expect(world.reason('RollbackInProgress')).toBe('DesiredClusterSpecChanged');
    world.edit({ ...second });
    world.settle(60);
    expect([world.active, world.pending]).toEqual([next, '']);
    expect(world.reason('RollbackInProgress')).toBe('-');
  });

  it('is over where traffic no longer moves in steps', () => {
    const world = running({ maxSurgePercent: 50, stepSizePercent: 25 });
    const first = world.service.spec;
    world.editImage('ray:new');
    while (world.status.pendingServiceStatus?.trafficRoutedPercent !== 50) world.settle(1);
    world.edit({ ...first });
    world.settle(2);
    expect(world.reason('RollbackInProgress')).toBe('DesiredClusterSpecChanged');
    world.edit({ ...first, upgradeStrategy: { type: 'NewCluster' } });
    world.settle(60);
    expect(world.reason('RollbackInProgress')).toBe('-');
    expect(world.pending).toBe('');
  });

  it('goes back first and then on to a third spec', () => {
    const world = running({ maxSurgePercent: 50, stepSizePercent: 25 });
    world.editImage('ray:second');
    while (world.status.pendingServiceStatus?.trafficRoutedPercent !== 50) world.settle(1);
    world.editImage('ray:third');
    world.settle(120);
    const image = world.serveOf(world.active).cluster.spec?.headGroupSpec.template.spec?.containers[0]?.image;
    expect([image, world.pending]).toEqual(['ray:third', '']);
  });

  it('cannot go back to a cluster that is lost: the new one takes over as soon as it serves', () => {
    const world = running();
    world.deploysAs = 'DEPLOYING';
    world.editImage('ray:new');
    world.settle(10);
    world.clusters.delete(world.active);
    world.settle(5);
    expect(world.events.filter(({ reason }) => reason === 'RollbackImpossible')).toHaveLength(1);
    const next = world.pending;
    world.deploysAs = 'RUNNING';
    world.serveOf(next).applications = { app: { status: 'RUNNING' } };
    world.settle(10);
    expect([world.active, world.pending]).toEqual([next, '']);
    expect(world.weights()).toEqual({ [next]: 100 });
    expect(world.status.activeServiceStatus?.targetCapacity).toBe(100);
  });
});
