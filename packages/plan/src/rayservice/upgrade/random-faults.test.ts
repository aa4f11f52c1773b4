import type { RayServiceSpec } from '@manta/api';
import { rayClusterSpec, workerGroup } from '@manta/api/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ServiceWorld } from '../../testing/service-world.ts';

/** A service that moves its traffic in steps of a second, and serves. */
function running(maxSurgePercent: number, stepSizePercent: number): ServiceWorld {
  const clusterUpgradeOptions = { gatewayClassName: 'g', maxSurgePercent, stepSizePercent, intervalSeconds: 1 };
  const spec: Partial<RayServiceSpec> = {
    rayClusterConfig: rayClusterSpec({ enableInTreeAutoscaling: true, workerGroupSpecs: [workerGroup('workers')] }),
    upgradeStrategy: { type: 'NewClusterWithIncrementalUpgrade', clusterUpgradeOptions },
  };
  const world = new ServiceWorld({ spec });
  world.settle(10);
  return world;
}

const MOVES = [
  'edit',
  'revert',
  'lose-pending',
  'lose-active',
  'return-heads',
  'delete-pending',
  'delete-active',
  'restart',
  'unhealthy',
  'healthy',
  'suspend',
  'resume',
  'gateway-away',
  'gateway-back',
  'put-clock-back',
] as const;

describe('whatever happens in an upgrade', () => {
  const moves = fc.array(fc.record({ seconds: fc.integer({ min: 0, max: 8 }), what: fc.constantFrom(...MOVES) }), {
    maxLength: 12,
  });

  it('weights sum to 100, capacity keeps to the surge, nobody dead keeps traffic that another could take, and it ends', () => {
    fc.assert(
      fc.property(fc.constantFrom(10, 25, 50, 100), fc.constantFrom(10, 25, 50), moves, (surge, step, script) => {
        const world = running(surge, Math.min(step, surge));
        const first = world.service.spec;
        const watch = new Watch(world, surge);
        for (const { seconds, what } of script) {
          play(world, what, first);
          watch.forSeconds(seconds);
        }
        allWell(world);
        watch.forSeconds(260);
        expect(watch.faults).toEqual([]);
        expect(world.pending).toBe('');
        expect(world.weights()).toEqual({ [world.active]: 100 });
        expect(world.clusters.size).toBe(1);
        expect(world.reason('Ready')).toBe('NonZeroServeEndpoints');
      }),
      { numRuns: 10 },
    );
  });
});

function play(world: ServiceWorld, what: (typeof MOVES)[number], first: ServiceWorld['service']['spec']): void {
  const { active, pending } = world;
  const has = (name: string) => world.clusters.has(name);
  if (what === 'edit') world.editImage(`ray:${world.service.metadata?.generation}`);
  else if (what === 'revert') world.edit({ ...first });
  else if (what === 'restart') world.restart();
  else if (what === 'unhealthy') world.deploysAs = 'UNHEALTHY';
  else if (what === 'healthy') world.deploysAs = 'RUNNING';
  else if (what === 'suspend') world.edit({ suspend: true });
  else if (what === 'resume') world.edit({ suspend: false });
  else if (what === 'gateway-away') world.isGatewayReady = false;
  else if (what === 'gateway-back') world.isGatewayReady = true;
  else if (what === 'put-clock-back') world.now -= 30_000;
  else if (what === 'lose-pending' && has(pending)) kill(world, pending);
  else if (what === 'lose-active' && has(active)) kill(world, active);
  else if (what === 'delete-pending') remove(world, pending);
  else if (what === 'delete-active') remove(world, active);
  else if (what === 'return-heads') for (const name of world.clusters.keys()) revive(world, name);
}

function kill(world: ServiceWorld, cluster: string): void {
  world.loseHead(cluster);
  world.serveOf(cluster).workers = 0;
}

function revive(world: ServiceWorld, cluster: string): void {
  const serve = world.serveOf(cluster);
  if (!serve.isHeadReady) world.returnHead(cluster);
  serve.workers = 1;
}

function remove(world: ServiceWorld, cluster: string): void {
  world.clusters.delete(cluster);
  world.services.delete(`${cluster}-serve-svc`);
}

function allWell(world: ServiceWorld): void {
  world.deploysAs = 'RUNNING';
  world.isGatewayReady = true;
  if (world.service.spec?.suspend === true) world.edit({ suspend: false });
  for (const [name, serve] of world.clusters) {
    revive(world, name);
    if (Object.keys(serve.applications).length > 0) serve.applications = { app: { status: 'RUNNING' } };
  }
}

/** Looks on, second by second, and remembers for how long something was not as it should be. */
class Watch {
  readonly faults: string[] = [];
  readonly #world: ServiceWorld;
  readonly #surge: number;
  #misled = 0;

  constructor(world: ServiceWorld, surge: number) {
    this.#world = world;
    this.#surge = surge;
  }

  forSeconds(seconds: number): void {
    for (let second = 0; second < seconds; second += 1) {
      this.#world.settle(1);
      this.#look();
    }
  }

  #look(): void {
    const world = this.#world;
    const weights = Object.entries(world.weights());
    const sum = weights.reduce((total, [, weight]) => total + weight, 0);
    this.#unless(weights.length === 0 || sum === 100, `weights sum to ${sum}`);
    const { activeServiceStatus: a = {}, pendingServiceStatus: p = {} } = world.status;
    const capacity = (a.targetCapacity ?? 0) + (p.targetCapacity ?? 0);
    this.#unless(capacity <= 100 + this.#surge, `capacity is ${capacity}`);
    const { endpoints } = world.observe();
    const has = (name: string) => (endpoints.get(`${name}-serve-svc`) ?? 0) > 0;
    const isRunning = (name: string) => world.clusters.get(name)?.applications['app']?.status === 'RUNNING';
    const isMisled = weights.some(([name, weight]) => weight > 0 && !has(name));
    this.#misled = isMisled && weights.some(([name]) => has(name) && isRunning(name)) ? this.#misled + 1 : 0;
    // A look to see it, one to write it down, one for the route; and a configuration that is on its way may have to arrive first.
    this.#unless(this.#misled <= 6, 'traffic goes where nobody is');
  }

  #unless(isFine: boolean, fault: string): void {
    if (!isFine) this.faults.push(`${fault} at ${new Date(this.#world.now).toISOString()}`);
  }
}
