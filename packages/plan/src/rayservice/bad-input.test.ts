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
  const stuck = (status?: { conditions: { type: string; status: string; message: string }[] }) => {
    const world = new ServiceWorld({ spec: STEPS });
    world.settle(10);
    world.isGatewayReady = false;
    const creationTimestamp = new Date(world.now).toISOString();
    const { metadata, ...gateway } = world.gateway ?? {};
    world.gateway = { ...gateway, metadata: { ...metadata, creationTimestamp }, status: status ?? {} };
    world.events.length = 0;
    world.editImage('ray:new');
    world.settle(60);
    return world;
  };

  it('is told of once, with the class, and all traffic stays where it is', () => {
    const world = stuck();
    const told = world.events.filter(({ reason }) => reason === 'UpgradeHeldUp').map(({ note }) => note);
    expect(told).toHaveLength(1);
    expect(told[0]).toMatch(
      /waits: the Gateway ml\/svc-gateway is not programmed: is there a controller for the class nobody\?; RayCluster .* goes on serving$/,
    );
    expect(world.status.activeServiceStatus?.trafficRoutedPercent).toBe(100);
    expect(world.reason('Ready')).toBe('NonZeroServeEndpoints');
  });

  it('is told of in its own words where it has some', () => {
    const message = 'the address is taken';
    const world = stuck({ conditions: [{ type: 'Programmed', status: 'False', message }] });
    expect(world.events.map(({ note }) => note).join()).toContain('is not programmed: the address is taken;');
  });
});
