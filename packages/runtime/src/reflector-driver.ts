import { API_CLIENT_LIMITS } from '@manta/base';
import type { KubeObject } from '@manta/api';
import {
  type Clock,
  type Content,
  type KubeClient,
  type ResourceType,
  type Shape,
  sleep,
  TransportError,
} from '@manta/kube';
import { withJitter } from './backoff.ts';
import {
  type ChangeType,
  initialReflection,
  type Reflection,
  type ReflectorEffect,
  type ReflectorEvent,
  stepReflector,
} from './reflector.ts';

/** Which objects of a kind to follow, and how much of each to ask for. */
export interface Selection {
  /** Absent: in all namespaces. */
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  /** Absent: all but managedFields. */
  readonly content?: Content | undefined;
  /** All that is wanted of an object; absent: all of it. There may be more. */
  readonly shape?: Shape | undefined;
}

/** Receives what arrives. Calls are in order and must not throw. */
export interface ReflectorSink<T> {
  /** Forget what was staged. */
  discard(): void;
  /** Collect for the next commit. */
  stage(change: ChangeType, object: T): void;
  /** What was staged is the whole content, as of this version. */
  commit(resourceVersion: string): void;
  apply(change: ChangeType, object: T, resourceVersion: string): void;
  /** All changes up to this version have been handed over. */
  advance(resourceVersion: string): void;
  /** After every step that led to another phase or trouble. */
  moved(): void;
}

export interface ReflectorOptions<T extends KubeObject> {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: () => number;
  readonly type: ResourceType<T>;
  readonly selection: Selection;
  /** Installations may well do without the kind: while the server does not know it, it is asked for seldom. */
  readonly isForeign?: boolean | undefined;
  readonly sink: ReflectorSink<T>;
}

/** What may run for a while; everything else a step asks for happens at once. */
type Activity<T> = Extract<ReflectorEffect<T>, { readonly do: 'list' | 'watch' | 'wait' }>;

const HELD_MS = 1_000;
const SELDOM_MS = 300_000;
const MIN_WATCH_SECONDS = 300;
const LIST_LIMIT_MS = API_CLIENT_LIMITS.listMs;
/** How long a watch may outlast its timeout before it is closed: then the connection is half-open. */
const OVERDUE_MS = 30_000;

/** Follows one kind in one scope: performs what `stepReflector` asks for, one activity at a time. */
export class Reflector<T extends KubeObject> {
  readonly #options: ReflectorOptions<T>;
  #now: Reflection = initialReflection;
  #wake: () => void = () => undefined;

  constructor(options: ReflectorOptions<T>) {
    this.#options = options;
  }

  /** Where it stands. */
  get reflection(): Reflection {
    return this.#now;
  }

  /** Ends a backoff early, e.g. because a CRD was installed or a role was bound. */
  retryNow(): void {
    this.#wake();
  }

  /** Runs until the signal is aborted; never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    let activity = this.#fire({ type: 'start' });
    while (!signal.aborted && activity !== undefined) activity = await this.#perform(activity, signal);
  }

  async #perform(activity: Activity<T>, stop: AbortSignal): Promise<Activity<T> | undefined> {
    if (activity.do === 'wait') return this.#wait(activity.delayMs, stop);
    const abort = new AbortController();
    const onStop = () => abort.abort(stop.reason);
    stop.addEventListener('abort', onStop, { once: true });
    if (stop.aborted) onStop();
    try {
      return activity.do === 'list' ? await this.#list(activity.atLeast, abort) : await this.#watch(activity, abort);
    } catch (error) {
      return stop.aborted ? undefined : this.#fire({ type: 'failed', error, at: this.#options.clock.now() });
    } finally {
      stop.removeEventListener('abort', onStop);
      abort.abort();
    }
  }

  async #list(atLeast: string | undefined, abort: AbortController): Promise<Activity<T> | undefined> {
    const { client, clock, type, selection } = this.#options;
    const cancel = clock.setTimer(LIST_LIMIT_MS, () => abort.abort(new TransportError('the list did not end')));
    try {
      const list = client.listStream(type, {
        ...selection,
        ...(atLeast === undefined ? {} : { resourceVersion: atLeast, resourceVersionMatch: 'NotOlderThan' }),
        signal: abort.signal,
        retriesItself: true,
      });
      // Read below, once the items have ended; when they do not, its rejection is the same error.
      list.metadata.catch(() => undefined);
      for await (const object of list) this.#fire({ type: 'item', object });
      const { resourceVersion } = await list.metadata;
      if (resourceVersion === undefined) throw new Error('the server sent a list without a resourceVersion');
      return this.#fire({ type: 'listed', resourceVersion });
    } finally {
      cancel();
    }
  }

  async #watch(
    { resourceVersion, isInitial }: Extract<Activity<T>, { do: 'watch' }>,
    abort: AbortController,
  ): Promise<Activity<T> | undefined> {
    const { client, clock, random, type, selection } = this.#options;
    const timeoutSeconds = Math.round(MIN_WATCH_SECONDS * (1 + random()));
    const cancelHeld = clock.setTimer(HELD_MS, () => this.#fire({ type: 'held' }));
    const cancelOverdue = clock.setTimer(timeoutSeconds * 1000 + OVERDUE_MS, () =>
      abort.abort(new TransportError('the watch went on past its end: the connection must be dead')),
    );
    try {
      const events = client.watch(type, {
        ...selection,
        ...(resourceVersion === undefined ? {} : { resourceVersion }),
        ...(isInitial ? { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' } : {}),
        allowBookmarks: true,
        timeoutSeconds,
        signal: abort.signal,
        retriesItself: true,
      });
      for await (const event of events) this.#fire({ type: 'watched', event });
      abort.signal.throwIfAborted();
      return this.#fire({ type: 'closed', at: clock.now() });
    } finally {
      cancelHeld();
      cancelOverdue();
    }
  }

  async #wait(delayMs: number, stop: AbortSignal): Promise<Activity<T> | undefined> {
    const { clock, random, isForeign = false } = this.#options;
    const isAbsent = this.#now.trouble?.kind === 'absent';
    const waitMs = isForeign && isAbsent ? Math.max(delayMs, SELDOM_MS) : delayMs;
    const woken = new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    const abort = new AbortController();
    const onStop = () => abort.abort();
    stop.addEventListener('abort', onStop, { once: true });
    await Promise.race([sleep(clock, withJitter(waitMs, random), abort.signal).catch(() => undefined), woken]);
    stop.removeEventListener('abort', onStop);
    abort.abort();
    return stop.aborted ? undefined : this.#fire({ type: 'woken' });
  }

  /** Takes one step and does at once what takes no time; what takes time is returned. */
  #fire(event: ReflectorEvent<T>): Activity<T> | undefined {
    const { sink } = this.#options;
    const before = this.#now;
    const { next, effects } = stepReflector(before, event);
    this.#now = next;
    let activity: Activity<T> | undefined;
    for (const effect of effects) {
      switch (effect.do) {
        case 'discard':
          sink.discard();
          break;
        case 'stage':
          sink.stage(effect.change, effect.object);
          break;
        case 'commit':
          sink.commit(effect.resourceVersion);
          break;
        case 'apply':
          sink.apply(effect.change, effect.object, effect.resourceVersion);
          break;
        case 'advance':
          sink.advance(effect.resourceVersion);
          break;
        default:
          activity = effect;
      }
    }
    if (before.state.phase !== next.state.phase || before.trouble !== next.trouble) sink.moved();
    return activity;
  }
}
