import { FakeClock } from '@manta/runtime/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isDeepStrictEqual } from 'node:util';
import type { FakeHead, Mood } from '../testing/fake-head.ts';
import { PollerBench } from '../testing/poller-bench.ts';

const HEADS = ['a', 'b'];
const OWNERS = ['x', 'y', 'z'];
const JOBS = ['1', '2'];
const STATUSES = ['PENDING', 'RUNNING', 'SUCCEEDED', 'FAILED', 'STOPPED'];
const MOODS: readonly Mood[] = [
  { kind: 'well' },
  { kind: 'dead' },
  { kind: 'hanging' },
  { kind: 'lost' },
  { kind: 'wrong', status: 500, body: 'x' },
  { kind: 'wrong', status: 503, body: 'x' },
  { kind: 'wrong', body: '<html>' },
];

const pick = <T>(values: readonly T[]) => fc.constantFrom(...values);
const anyStep = fc.oneof(
  fc.record({
    do: fc.constant('ask' as const),
    head: pick(HEADS),
    owner: pick(OWNERS),
    job: pick(JOBS),
    every: pick([500, 3_000]),
  }),
  fc.record({ do: fc.constant('newer' as const), head: pick(HEADS), owner: pick(OWNERS), job: pick(JOBS) }),
  fc.record({ do: fc.constant('wait' as const), ms: fc.integer({ min: 0, max: 12_000 }) }),
  fc.record({ do: fc.constant('mood' as const), head: pick(HEADS), mood: pick(MOODS) }),
  fc.record({ do: fc.constant('slow' as const), head: pick(HEADS), ms: pick([0, 50, 1_000, 4_000]) }),
  fc.record({ do: fc.constant('job' as const), head: pick(HEADS), job: pick(JOBS), status: pick(STATUSES) }),
  fc.record({ do: fc.constant('lose' as const), head: pick(HEADS) }),
  fc.record({ do: fc.constant('submit' as const), head: pick(HEADS), owner: pick(OWNERS), job: pick(JOBS) }),
  fc.record({ do: fc.constant('release' as const), owner: pick(OWNERS) }),
);
type Step = typeof anyStep extends fc.Arbitrary<infer S> ? S : never;

/** Plays owners who read when they are told, as a controller does, and checks that they never miss anything. */
class Play {
  readonly clock = new FakeClock();
  readonly bench: PollerBench;
  /** What each owner cares for, and the value that it read last. */
  readonly read = new Map<
    string,
    { readonly owner: string; readonly head: string; readonly job: string; value: unknown; every: number }
  >();
  #commands = 0;

  constructor(seed: number) {
    let state = seed;
    const random = () => {
      state = (state * 48271) % 2147483647;
      return state / 2147483647;
    };
    this.bench = new PollerBench(this.clock, { random, onNews: (owner) => this.#reread(owner) });
    for (const name of HEADS) this.bench.head(name);
  }

  async step(step: Step): Promise<void> {
    switch (step.do) {
      case 'ask':
        this.#ask(step.owner, step.head, step.job, step.every);
        break;
      case 'newer':
        this.#newer(step.owner, step.head, step.job);
        break;
      case 'wait':
        await this.clock.advance(step.ms);
        break;
      case 'mood':
        this.bench.head(step.head).mood = step.mood;
        break;
      case 'slow':
        this.bench.head(step.head).delayMs = step.ms;
        break;
      case 'job':
        this.bench.head(step.head).setJob(step.job, { status: step.status });
        break;
      case 'lose':
        this.bench.head(step.head).jobs.clear();
        break;
      case 'submit':
        this.#submit(step.owner, step.head, step.job);
        break;
      case 'release':
        this.bench.poller.release(step.owner);
        for (const [key, known] of this.read) if (known.owner === step.owner) this.read.delete(key);
        break;
    }
  }

  /** All is well again, and some time goes by. */
  async heal(): Promise<void> {
    for (const name of HEADS) Object.assign(this.bench.head(name), { mood: { kind: 'well' }, delayMs: 10 });
    await this.clock.advance(60_000);
  }

  truth(head: string, job: string): string | undefined {
    const found: FakeHead = this.bench.head(head);
    return found.jobs.get(job)?.status;
  }

  #ask(owner: string, head: string, job: string, every: number): void {
    const answer = this.bench.poller.ask(this.bench.where(head), { kind: 'job', id: job }, { owner, everyMs: every });
    const key = `${owner}/${head}/${job}`;
    const before = this.read.get(key)?.value;
    const value = answer.kind === 'known' ? { status: answer.value?.status } : before;
    this.read.set(key, { owner, head, job, value, every });
  }

  #newer(owner: string, head: string, job: string): void {
    const known = this.read.get(`${owner}/${head}/${job}`);
    if (known === undefined) return;
    const newerThan = this.clock.now();
    const interest = { owner, everyMs: known.every, newerThan };
    const answer = this.bench.poller.ask(this.bench.where(head), { kind: 'job', id: job }, interest);
    if (answer.kind !== 'unknown') throw new Error(`an answer of ${answer.at} passed for newer than ${newerThan}`);
  }

  #submit(owner: string, head: string, job: string): void {
    this.#commands += 1;
    const command = { kind: 'submit', request: { entrypoint: 'x', submissionId: job } } as const;
    this.bench.poller.perform(this.bench.where(head), command, { owner, id: `${this.#commands}` });
  }

  #reread(owner: string): void {
    const own = this.read.values().filter((known) => known.owner === owner);
    for (const known of own.toArray()) this.#ask(owner, known.head, known.job, known.every);
  }
}

test('owners who read only when told end up knowing the truth, whatever happened on the way', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyStep, { maxLength: 40 }),
      fc.integer({ min: 1, max: 1_000_000 }),
      async (steps, seed) => {
        const play = new Play(seed);
        for (const each of steps) await play.step(each);
        await play.heal();
        for (const { head, job, value, owner } of play.read.values()) {
          const expected = { status: play.truth(head, job) };
          expect(
            isDeepStrictEqual(value, expected),
            `${owner} believes ${JSON.stringify(value)}, not ${JSON.stringify(expected)}`,
          ).toBe(true);
        }
        for (const owner of OWNERS) {
          for (const result of play.bench.poller.results(owner)) expect(result.state).not.toBe('running');
        }
        play.bench.poller.close();
        await play.clock.settle();
        expect(play.clock.pending).toBe(0);
      },
    ),
    { numRuns: 150 },
  );
});
