import type { Controller, ControllerStatus } from './controller.ts';
import type { Informer } from './informer.ts';
import type { InformerStatus } from './informer-status.ts';
import type { World } from './world.ts';

/** Decides who of several processes acts. */
export interface Leadership {
  /**
   * Waits to become leader, then calls `lead` with a signal that is aborted when leadership ends or `stop` is aborted. Resolves when
   * `lead` has resolved and leadership is given up; rejects when it was lost against our will. While leadership is in doubt it is
   * suspended: nothing may be written between the two calls of `suspension`.
   */
  runWhenLeader(
    stop: AbortSignal,
    lead: (leading: AbortSignal) => Promise<void>,
    suspension?: LeadershipSuspension,
  ): Promise<void>;
}

/** What a leader does while it is in doubt whether it still leads. */
export interface LeadershipSuspension {
  onSuspended(): void;
  onResumed(): void;
}

/** Something else that runs as long as the process: a server, a poller. A rejection ends the process. */
export interface Runnable {
  readonly name: string;
  readonly needsLeader: boolean;
  run(signal: AbortSignal): Promise<void>;
}

export interface ManagerOptions {
  readonly informers: readonly Informer[];
  readonly controllers: readonly Controller[];
  readonly runnables?: readonly Runnable[];
  /** Absent: we always lead. */
  readonly leadership?: Leadership | undefined;
  /**
   * Called with false when this process must not act on anything any more (its lease is in doubt, lost, or about to be given back), and with
   * true when it may again. For parts outside controllers that have work waiting.
   */
  readonly onMayAct?: ((mayAct: boolean) => void) | undefined;
  /** How long running reconciles may take to end once we stop. Default: 30 s. */
  readonly gracePeriodMs?: number | undefined;
}

export interface ManagerStatus {
  readonly isLeading: boolean;
  /** We lead, but could not renew that: controllers rest. */
  readonly isSuspended: boolean;
  readonly informers: readonly (InformerStatus & { readonly kind: string })[];
  readonly controllers: readonly (ControllerStatus & { readonly name: string })[];
}

export interface Manager {
  status(): ManagerStatus;
  /** Runs everything until the signal is aborted and all has ended, or the grace period is over. */
  run(signal: AbortSignal): Promise<void>;
}

const GRACE_PERIOD_MS = 30_000;
const ALWAYS_LEADING: Leadership = { runWhenLeader: (stop, lead) => lead(stop) };

/**
 * Puts the parts together: informers run from the start, controllers while we lead. Each controller begins when what it needs is
 * there; one that cannot (a kind is forbidden or absent) holds up no other and begins when that changes.
 */
export function createManager(world: Pick<World, 'clock' | 'log'>, options: ManagerOptions): Manager {
  return new ProcessManager(world, options);
}

class ProcessManager implements Manager {
  readonly #world: Pick<World, 'clock' | 'log'>;
  readonly #options: ManagerOptions;
  readonly #gracePeriodMs: number;
  #isLeading = false;
  #isSuspended = false;

  constructor(world: Pick<World, 'clock' | 'log'>, options: ManagerOptions) {
    this.#world = world;
    this.#options = options;
    this.#gracePeriodMs = options.gracePeriodMs ?? GRACE_PERIOD_MS;
  }

  status(): ManagerStatus {
    return {
      isLeading: this.#isLeading,
      isSuspended: this.#isSuspended,
      informers: this.#options.informers.map((informer) => ({ kind: informer.type.kind, ...informer.status() })),
      controllers: this.#options.controllers.map((controller) => ({ name: controller.name, ...controller.status() })),
    };
  }

  async run(signal: AbortSignal): Promise<void> {
    const { informers, runnables = [], leadership = ALWAYS_LEADING } = this.#options;
    /** Ends informers and the other runnables, which controllers may use until their own end. */
    const last = new AbortController();
    /** Aborted when the process should stop, or when an essential part has failed. */
    const stop = new AbortController();
    const onSignal = () => stop.abort(signal.reason);
    signal.addEventListener('abort', onSignal, { once: true });
    if (signal.aborted) onSignal();
    const failures: unknown[] = [];
    const guard = (name: string, work: Promise<void>) =>
      work.catch((error: unknown) => {
        if (!stop.signal.aborted) {
          failures.push(error);
          this.#world.log.error('Stopping because a part has failed', error, { part: name });
        }
        stop.abort(error);
      });
    const background = [
      ...informers.map((informer) => guard(informer.type.kind, informer.run(last.signal))),
      ...runnables.filter((part) => !part.needsLeader).map((part) => guard(part.name, part.run(last.signal))),
    ];
    const lead = (leading: AbortSignal) =>
      this.#lead(leading, stop.signal, guard).finally(() => this.#options.onMayAct?.(false));
    await guard('leader election', leadership.runWhenLeader(stop.signal, lead, this.#suspension()));
    if (!stop.signal.aborted && background.length > 0) await aborted(stop.signal);
    last.abort();
    await this.#within(this.#gracePeriodMs, Promise.all(background));
    signal.removeEventListener('abort', onSignal);
    if (failures.length > 0) throw failures[0];
  }

  /** Only controllers can rest: with other parts that need a leader, leadership in doubt is leadership lost. */
  #suspension(): LeadershipSuspension | undefined {
    const { controllers, runnables = [] } = this.#options;
    if (runnables.some((part) => part.needsLeader)) return undefined;
    return {
      onSuspended: () => {
        this.#isSuspended = true;
        this.#options.onMayAct?.(false);
        for (const controller of controllers) controller.suspend();
      },
      onResumed: () => {
        this.#isSuspended = false;
        this.#options.onMayAct?.(true);
        for (const controller of controllers) controller.resume();
      },
    };
  }

  /** Runs what only a leader may run; ends within the grace period after `leading` is aborted. */
  async #lead(
    leading: AbortSignal,
    stop: AbortSignal,
    guard: (name: string, work: Promise<void>) => Promise<void>,
  ): Promise<void> {
    const { controllers, runnables = [] } = this.#options;
    this.#isLeading = true;
    const abort = new AbortController();
    const work = Promise.all([
      ...controllers.map((controller) => guard(controller.name, controller.run(leading, abort.signal))),
      ...runnables.filter((part) => part.needsLeader).map((part) => guard(part.name, part.run(leading))),
    ]);
    await aborted(leading);
    this.#isLeading = false;
    // A process that lost the lease must not write any more; one that was asked to stop may finish what is under way.
    if (!stop.aborted) this.#options.onMayAct?.(false);
    const patienceMs = stop.aborted ? this.#gracePeriodMs / 2 : 0;
    const hasEnded = patienceMs > 0 && (await this.#within(patienceMs, work));
    if (hasEnded) return;
    abort.abort(new Error('the operator is stopping'));
    if (await this.#within(this.#gracePeriodMs - patienceMs, work)) return;
    const stuck = controllers.flatMap((controller) => controller.running().map((key) => `${controller.name} ${key}`));
    this.#world.log.warn('Stopped without waiting for these reconciles any longer', { stuck });
  }

  /** Whether the work ended in time. */
  #within(limitMs: number, work: Promise<unknown>): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const cancel = this.#world.clock.setTimer(limitMs, () => resolve(false));
      work.then(() => resolve(true), reject).finally(cancel);
    });
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
