import type { CallOptions, Clock, KubeClient } from '@manta/kube';
import { TransportError } from '@manta/kube';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { createLeaderElector } from './leader-election.ts';
import { silentLogger } from './logger.ts';
import { createMetricsRegistry } from './metrics/registry.ts';
import { FakeClient } from './testing/fake-client.ts';
import { FakeClock } from './testing/fake-clock.ts';
import { seededRandom } from './testing/seeded-random.ts';

/** True time in which everything happens; each elector sees it through a clock that is off and runs unevenly. */
class World {
  readonly time = new FakeClock();
  readonly server = new FakeClient({ clock: this.time });
  readonly random: () => number;
  readonly leading = new Set<string>();
  readonly violations: string[] = [];
  terms = 0;
  areFaultsOn = true;
  #born = 0;

  readonly maxDrift: number;

  constructor(seed: number, maxDrift: number) {
    this.random = seededRandom(seed);
    this.maxDrift = maxDrift;
  }

  between = (low: number, high: number) => low + (high - low) * this.random();
  chance = (share: number) => this.random() < share;

  /** Starts an elector; returns how it may end. */
  join() {
    const identity = `elector-${++this.#born}`;
    const rate = this.between(1 - this.maxDrift, 1 + this.maxDrift);
    const offset = this.between(-1e9, 1e9);
    const self = { identity, isDead: false, isOver: false, isCutOff: false };
    const clock: Clock = {
      now: () => Math.round(this.time.now() * rate + offset),
      setTimer: (delayMs, run) => this.time.setTimer(delayMs / rate, () => void (self.isDead || run())),
    };
    const stop = new AbortController();
    const elector = createLeaderElector({
      client: this.#network(clock, self),
      lease: { name: 'leader', namespace: 'ns' },
      identity,
      clock,
      random: this.random,
      log: silentLogger,
      metrics: createMetricsRegistry(),
    });
    const lead = () => {
      if (self.isDead) return;
      this.terms += 1;
      this.leading.add(identity);
      if (this.leading.size > 1) this.violations.push([...this.leading].join(' and '));
    };
    const rest = () => void this.leading.delete(identity);
    const suspension = { onSuspended: rest, onResumed: lead };
    const ended = elector.run({ signal: stop.signal, onLeading: lead, onLost: rest, suspension });
    void ended.then(() => (self.isOver = true));
    const end = () => void this.leading.delete(identity);
    const crash = () => {
      end();
      self.isDead = true;
    };
    const leave = () => {
      end();
      stop.abort();
    };
    return { self, crash, leave };
  }

  /** Requests take time both ways, get lost on the way there or back, arrive long after the caller gave up, or fail. */
  #network(clock: Clock, self: { isDead: boolean; isCutOff: boolean }): KubeClient {
    const delay = () => (this.areFaultsOn && this.chance(0.1) ? this.between(0, 20_000) : this.between(1, 200));
    const isLost = () => self.isDead || self.isCutOff || (this.areFaultsOn && this.chance(0.1));
    const send = <T>(options: CallOptions | undefined, apply: () => Promise<T>) =>
      new Promise<T>((resolve, reject) => {
        const giveUp = () => reject(new TransportError('no answer'));
        clock.setTimer(options?.timeoutMs ?? 30_000, giveUp);
        options?.signal?.addEventListener('abort', giveUp, { once: true });
        if (isLost()) return;
        this.time.setTimer(delay(), () => {
          const answer = apply();
          answer.catch(() => undefined);
          if (!isLost()) this.time.setTimer(delay(), () => void answer.then(resolve, reject));
        });
      });
    return Object.create(this.server, {
      get: { value: (...args: Parameters<KubeClient['get']>) => send(args[2], () => this.server.get(...args)) },
      create: {
        value: (...args: Parameters<KubeClient['create']>) => send(args[2], () => this.server.create(...args)),
      },
      update: {
        value: (...args: Parameters<KubeClient['update']>) => send(args[2], () => this.server.update(...args)),
      },
    });
  }
}

/** A few minutes in which electors come, go, crash, lose the network and get it back; then peace. */
async function live(seed: number, electors: number, maxDrift: number): Promise<World> {
  const world = new World(seed, maxDrift);
  const all = Array.from({ length: electors }, () => world.join());
  for (let step = 0; step < 20; step++) {
    await world.time.advance(world.between(500, 20_000));
    const leader = all.findIndex((one) => world.leading.has(one.self.identity));
    const at = leader >= 0 && world.chance(0.6) ? leader : Math.floor(world.random() * all.length);
    const [one, dice] = [all[at], world.random()];
    if (one === undefined) continue;
    if (dice < 0.1) one.crash();
    else if (dice < 0.2) one.leave();
    else one.self.isCutOff = !one.self.isCutOff;
    for (const [index, { self }] of all.entries()) if (self.isDead || self.isOver) all[index] = world.join();
  }
  world.areFaultsOn = false;
  for (const one of all) one.self.isCutOff = false;
  return world;
}

test('there are never two leaders while clocks drift by up to 5 %, whatever the network loses, delays or repeats', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(), fc.integer({ min: 2, max: 4 }), async (seed, electors) => {
      const world = await live(seed, electors, 0.05);
      expect(world.violations).toEqual([]);
    }),
    { numRuns: 250 },
  );
});

test('some elector leads within a lease and two tries once the network works again', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(), fc.integer({ min: 1, max: 4 }), async (seed, electors) => {
      const world = await live(seed, electors, 0.05);
      world.join();
      await world.time.advance(60_000);
      expect(world.leading.size).toBe(1);
      expect(world.violations).toEqual([]);
    }),
    { numRuns: 25 },
  );
});

test('this simulation would notice: with clocks that drift by 40 % it finds two leaders', async () => {
  let violations = 0;
  for (let seed = 0; seed < 200 && violations === 0; seed++) {
    violations = (await live(seed, 3, 0.4)).violations.length;
  }
  expect(violations).toBeGreaterThan(0);
});
