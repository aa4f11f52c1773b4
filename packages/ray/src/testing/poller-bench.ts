import type { RayClock } from '../clock.ts';
import type { RayHead } from '../head.ts';
import type { RayPoller, RayPollerOptions } from '../poller/contract.ts';
import { createRayPoller } from '../poller/create-poller.ts';
import { FakeHead } from './fake-head.ts';
import { fakeSend } from './fake-send.ts';

/** A poller on a test's clock, with as many fake heads as the test names. */
export class PollerBench {
  readonly poller: RayPoller;
  /** Owners in the order of their notifications. */
  readonly news: string[] = [];
  readonly #clock: RayClock;
  readonly #heads = new Map<string, FakeHead>();

  constructor(clock: RayClock, options: Partial<RayPollerOptions> = {}) {
    this.#clock = clock;
    this.poller = createRayPoller({
      clock,
      random: () => 0.5,
      send: fakeSend(clock, (origin) => this.#heads.get(origin)),
      onNews: (owner) => this.news.push(owner),
      ...options,
    });
  }

  /** The fake head of this name, made when it is first named. */
  head(name = 'a'): FakeHead {
    const origin = `http://${name}:8265`;
    const head = this.#heads.get(origin) ?? new FakeHead({ now: () => this.#clock.now() });
    this.#heads.set(origin, head);
    return head;
  }

  /** How the poller knows that head. */
  where(name = 'a', session = '1'): RayHead {
    this.head(name);
    return { url: `http://${name}:8265`, session };
  }

  /** Notifications since the last call, in order. */
  takeNews(): readonly string[] {
    return this.news.splice(0);
  }
}
