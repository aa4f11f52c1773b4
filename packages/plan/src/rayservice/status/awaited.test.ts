import { describe, expect, it } from 'vitest';
import { restingService, ServiceWorld, type FakeServe } from '../../testing/service-world.ts';

const SINCE = '2026-08-01T12:00:00Z';

/** A service whose first cluster has existed for some seconds in this state. */
function starting(seconds: number, state: (serve: FakeServe) => void = () => undefined): ServiceWorld {
  const world = new ServiceWorld({ deploysAs: 'DEPLOYING' });
  world.reconcile();
  world.reconcile();
  const serve = world.serveOf(world.pending);
  state(serve);
  world.settle(seconds);
  return world;
}

describe('Ready condition of a RayService that starts', () => {
  const lost = (serve: FakeServe) => void (serve.isHeadReady = false);

  it('does not change during a usual start', () => {
    expect(starting(50, lost).message('Ready')).toBe('RayService is initializing');
  });

  it.each<[string, (serve: FakeServe) => void, (cluster: string) => string]>([
    ['its head pod', lost, (cluster) => `head Pod ${cluster}-head to become ready`],
    ['an application', () => undefined, () => 'application app, which is DEPLOYING'],
  ])('names %s that the service waits for after a minute, and since when', (_, state, expected) => {
    const world = starting(70, state);
    const what = expected(world.pending);
    expect(world.message('Ready')).toBe(`RayService is initializing: waits for ${what} since ${SINCE}`);
  });

  it('says at once how often Ray restarted in the head pod', () => {
    const world = starting(5, (serve) => void Object.assign(serve, { isHeadReady: false, restarts: 3 }));
    const head = `${world.pending}-head`;
    expect(world.message('Ready')).toBe(
      `RayService is initializing: waits for head Pod ${head} to become ready since ${SINCE}; Ray restarted 3 times in head Pod ${head}`,
    );
  });

  it('adds start and restarts to what keeps the head pod from running', () => {
    const trouble = 'container ray-head: CrashLoopBackOff: ended with exit code 2';
    const world = starting(5, (serve) => void Object.assign(serve, { isHeadReady: false, restarts: 1, trouble }));
    const head = `${world.pending}-head`;
    expect(world.message('Ready')).toBe(
      `RayService is initializing: Pod ${head}: ${trouble}; not ready since ${SINCE}; Ray restarted once in head Pod ${head}`,
    );
  });

  it('is not written again while the service waits for the same thing', () => {
    const world = starting(70, lost);
    for (let second = 0; second < 60; second += 1) {
      expect(world.reconcile().status).toBeUndefined();
      world.now += 1000;
    }
  });

  it('says nothing of it once the service is ready', () => {
    const world = starting(70, lost);
    world.returnHead(world.pending);
    world.deploysAs = 'RUNNING';
    world.settle(10);
    expect(world.message('Ready')).toBe('Number of serve endpoints is greater than 0');
  });
});

describe('Ready condition of a RayService that lost its endpoints', () => {
  it('names what it waits for after a minute', () => {
    const world = restingService();
    const cluster = world.active;
    world.loseHead(cluster);
    world.serveOf(cluster).workers = 0;
    world.settle(70);
    expect(world.message('Ready')).toMatch(
      new RegExp(
        `^Number of serve endpoints dropped to 0: waits for head Pod ${cluster}-head to become ready since 20`,
      ),
    );
  });
});
