import { describe, expect, it } from 'vitest';
import { restingService, ServiceWorld } from '../../testing/service-world.ts';

const ledTo = (world: ServiceWorld) => world.services.get('svc-serve-svc')?.spec?.selector?.['ray.io/cluster'];

describe('a pending cluster', () => {
  /** The PUT of the Serve configuration has just ended. */
  function afterPut(): ServiceWorld {
    const world = new ServiceWorld();
    for (let pass = 0; pass < 3; pass += 1) world.reconcile();
    expect(world.submissions.map(({ state }) => state)).toEqual(['done']);
    return world;
  }

  it('takes over in the reconcile that sees the end of the PUT together with the answer that followed it', () => {
    const world = afterPut();
    const next = world.pending;
    world.reconcile();
    expect([world.active, world.pending, ledTo(world)]).toEqual([next, '', next]);
  });

  it('does not take over by an answer from before the end of the PUT', () => {
    const world = afterPut();
    const observed = world.observe();
    const clusters = observed.clusters.map((view) => ({
      ...view,
      serve: view.serve.kind === 'known' ? { ...view.serve, at: world.now - 1 } : view.serve,
    }));
    world.reconcile({ ...observed, clusters });
    expect([world.active, ledTo(world)]).toEqual(['', undefined]);
  });

  /** A new cluster whose applications run and whose pods do not take requests yet. */
  function withoutPods(): { world: ServiceWorld; old: string; next: string } {
    const world = restingService();
    const old = world.active;
    world.deploysAs = 'DEPLOYING';
    world.editImage('ray:new');
    world.settle(5);
    const next = world.pending;
    Object.assign(world.serveOf(next), { workers: 0, isProxyHealthy: false });
    world.serveOf(next).applications = { app: { status: 'RUNNING' } };
    return { world, old, next };
  }

  /** The EndpointSlice of the serve Service counts one endpoint, whatever pods there are. */
  function passWithEndpoint(world: ServiceWorld): void {
    world.reconcile({ ...world.observe(), endpoints: new Map([['svc-serve-svc', 1]]) });
  }

  it('takes over without a serving pod when an EndpointSlice is all that the active cluster has', () => {
    const { world, old, next } = withoutPods();
    Object.assign(world.serveOf(old), { workers: 0, isProxyHealthy: false });
    // The first reconcile takes the serve label off the head.
    passWithEndpoint(world);
    passWithEndpoint(world);
    expect([world.active, ledTo(world)]).toEqual([next, next]);
  });

  it('waits for a serving pod while one pod of the active cluster takes requests', () => {
    const { world, old } = withoutPods();
    Object.assign(world.serveOf(old), { workers: 1, isProxyHealthy: false });
    for (let pass = 0; pass < 5; pass += 1) passWithEndpoint(world);
    expect([world.active, ledTo(world)]).toEqual([old, old]);
  });
});
