import { rayClusterSpec, workerGroup } from '@manta/api/testing';
import { describe, expect, it } from 'vitest';
import { ServiceWorld } from '../testing/service-world.ts';

const STEPS = {
  rayClusterConfig: rayClusterSpec({ enableInTreeAutoscaling: true, workerGroupSpecs: [workerGroup('workers')] }),
  upgradeStrategy: {
    type: 'NewClusterWithIncrementalUpgrade',
    clusterUpgradeOptions: { gatewayClassName: 'nobody', stepSizePercent: 50, intervalSeconds: 1 },
  },
} as const;

describe('a configuration that cannot be used, given to a service that runs', () => {
  it.each([
    [
      'that is not YAML',
      { ok: false, error: 'error converting YAML to JSON: line 2 is wrong' },
      'serveConfigV2 cannot be read: error converting YAML to JSON: line 2 is wrong',
    ],
    ['without applications', { ok: true, value: { applications: [] } }, 'serveConfigV2 lists no applications'],
    ['without anything', { ok: true, value: {} }, 'serveConfigV2 lists no applications'],
  ] as const)(
    '%s, is not sent; the event and the Ready condition say why, and the running one serves on',
    (_, config, why) => {
      const world = new ServiceWorld();
      world.settle(10);
      const sent = world.serveOf(world.active).configs.length;
      world.events.length = 0;
      world.edit({ serveConfigV2: 'bad' });
      world.serveConfig = config;
      world.settle(10);
      expect(world.serveOf(world.active).configs).toHaveLength(sent);
      expect(world.reason('Ready')).toBe('NonZeroServeEndpoints');
      expect(world.message('Ready')).toBe(
        `Number of serve endpoints is greater than 0; an earlier configuration serves, since ${why}`,
      );
      const told = world.events.filter(({ reason }) => reason === 'FailedToUpdateServeApplications');
      expect(told).toHaveLength(1);
      world.serveConfig = undefined;
      world.edit({ serveConfigV2: 'good again' });
      world.settle(10);
      expect(world.serveOf(world.active).configs.length).toBeGreaterThan(sent);
      expect(world.message('Ready')).toBe('Number of serve endpoints is greater than 0');
    },
  );
});

describe('a Gateway that nobody serves', () => {
  type Status = { conditions: { type: string; status: string; message: string }[] };
  /** A service that runs, with a Gateway that has just been made and says this. */
  const unserved = (status?: Status) => {
    const world = new ServiceWorld({ spec: STEPS });
    world.settle(10);
    world.isGatewayReady = false;
    const creationTimestamp = new Date(world.now).toISOString();
    const { metadata, ...gateway } = world.gateway ?? {};
    world.gateway = { ...gateway, metadata: { ...metadata, creationTimestamp }, status: status ?? {} };
    world.events.length = 0;
    return world;
  };
  const stuck = (seconds: number, status?: Status) => {
    const world = unserved(status);
    world.editImage('ray:new');
    world.settle(seconds);
    return world;
  };
  const told = (world: ServiceWorld) =>
    world.events.filter(({ reason }) => reason === 'UpgradeHeldUp').map(({ note }) => note);
  const NOBODY = 'the Gateway ml/svc-gateway is not programmed: is there a controller for the class nobody?';
  const BOTH = 'Both active and pending Ray clusters exist';

  it('is told of once, with the class, by an event and a condition, and all traffic stays where it is', () => {
    const world = stuck(90);
    expect(told(world)).toHaveLength(1);
    expect(told(world)[0]).toContain(`waits: ${NOBODY}; RayCluster `);
    expect(told(world)[0]).toMatch(/ goes on serving$/);
    expect(world.message('UpgradeInProgress')).toBe(`${BOTH}; traffic stays where it is: ${NOBODY}`);
    expect(world.status.activeServiceStatus?.trafficRoutedPercent).toBe(100);
    expect(world.reason('Ready')).toBe('NonZeroServeEndpoints');
  });

  it('has a minute in which nothing is said', () => {
    const world = stuck(50);
    expect(told(world)).toEqual([]);
    expect(world.message('UpgradeInProgress')).toBe(BOTH);
  });

  it('is told of before any upgrade too, and looked at when its minute is over', () => {
    const world = unserved();
    expect(world.reconcile().requeueAfterMs).toBe(60_000);
    world.now += 60_000;
    world.reconcile();
    expect(told(world)).toEqual([`An upgrade would wait: ${NOBODY}; RayCluster ml/${world.active} goes on serving`]);
    expect(world.message('UpgradeInProgress')).toBe(
      `Active Ray cluster exists and no pending Ray cluster; an upgrade would wait: ${NOBODY}`,
    );
    expect(world.reason('Ready')).toBe('NonZeroServeEndpoints');
  });

  it('is told of in its own words where it says no: by the condition at once, by an event when its minute is over', () => {
    const message = 'the address is taken';
    const world = stuck(10, { conditions: [{ type: 'Programmed', status: 'False', message }] });
    expect(world.message('UpgradeInProgress')).toContain('is not programmed: the address is taken');
    expect(told(world)).toEqual([]);
    world.settle(60);
    expect(told(world).join()).toContain('is not programmed: the address is taken;');
  });

  it('is told of at once when the clock was put back, and once it is, a clock takes nothing back', () => {
    const world = stuck(90);
    world.now -= 80_000;
    world.settle(1);
    expect(world.message('UpgradeInProgress')).toContain(NOBODY);
    const other = stuck(10);
    other.now -= 3_600_000;
    other.settle(1);
    expect(other.message('UpgradeInProgress')).toContain(NOBODY);
  });

  it('has its minute again when it was served before, and a clock that is a little ahead takes nothing of it', () => {
    const world = unserved();
    const at = new Date(world.now).toISOString();
    const waiting = { type: 'Programmed', status: 'Unknown', message: '', lastTransitionTime: at };
    const creationTimestamp = new Date(world.now - 86_400_000).toISOString();
    const { metadata, ...gateway } = world.gateway ?? {};
    world.gateway = { ...gateway, metadata: { ...metadata, creationTimestamp }, status: { conditions: [waiting] } };
    expect(world.reconcile().requeueAfterMs).toBe(60_000);
    expect(told(world)).toEqual([]);
    world.now -= 2_000;
    expect(world.reconcile().requeueAfterMs).toBe(60_000);
    world.now += 62_000;
    world.reconcile();
    expect(told(world)).toHaveLength(1);
  });

  it('that is served at last is told of no more, and the upgrade gets on', () => {
    const world = stuck(90);
    world.isGatewayReady = true;
    world.settle(60);
    expect(world.message('UpgradeInProgress')).toBe('Active Ray cluster exists and no pending Ray cluster');
    expect(world.pending).toBe('');
  });

  it('is no matter where a Gateway is ready and its route is refused: the route is told of, in its own words', () => {
    const world = unserved();
    const yes = (type: string) => ({ type, status: 'True', message: '' });
    world.gateway = { ...world.gateway, status: { conditions: [yes('Accepted'), yes('Programmed')] } };
    const conditions = [{ type: 'Accepted', status: 'False', message: 'no listener allows it' }];
    const parentRef = { name: 'svc-gateway', namespace: 'ml' };
    world.route = { ...world.route, status: { parents: [{ parentRef, conditions }] } };
    world.reconcile();
    expect(world.message('UpgradeInProgress')).toContain(
      'an upgrade would wait: no Gateway has taken the HTTPRoute ml/svc-httproute: no listener allows it',
    );
  });
});
