import type { Clock, KubeClient } from '@manta/kube';
import { shapeOf, sleep } from '@manta/kube';
import type { DropReason } from './event-failure.ts';
import { classifyEventFailure } from './event-failure.ts';
import type { EventInput, EventSeriesValue } from './event-object.ts';
import { EVENTS, eventNamespace, eventObject, reporterOf } from './event-object.ts';
import type { Series } from './event-series.ts';
import { SeriesCache, wantsWrite } from './event-series.ts';
import type { Logger } from './logger.ts';
import type { Counter, MetricsRegistry } from './metrics/instruments.ts';
import { microTime } from './micro-time.ts';

/** Emits an event. Returns at once and never throws; events are written in the background. */
export interface EventRecorder {
  readonly event: (input: EventInput) => void;
}

export interface EventBroadcasterOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  readonly metrics: MetricsRegistry;
  /** Part of the reporting instance. */
  readonly hostname: string;
}

export interface EventBroadcaster {
  /** `controller` is the reporting controller, e.g. `raycluster-controller`. */
  recorder(controller: string): EventRecorder;
  /** Writes what waits and the final counts, for at most `deadlineMs`; later events are dropped. */
  stop(deadlineMs: number): Promise<void>;
}

/** Debounce of the first write: about as long as a reconcile, so that ten created pods cost one request. */
const FOLD_MS = 500;
const SWEEP_MS = 60_000;
const MAX_QUEUED = 5_000;
const MAX_IN_FLIGHT = 4;
const MAX_TRIES = 12;
const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 30_000;
const CALL_TIMEOUT_MS = 10_000;

/** The response to a written event is not used. */
const NOTHING = shapeOf({});

/** One per process: all recorders share its queue, so a burst of events never delays the controllers' own requests. */
export function createEventBroadcaster(options: EventBroadcasterOptions): EventBroadcaster {
  const writer = new EventWriter(options);
  return {
    recorder(controller) {
      const reporter = reporterOf(controller, options.hostname);
      return {
        event: (input) => writer.record(writer.cache.observe(input, reporter, options.clock.now(), options.random)),
      };
    },
    stop: (deadlineMs) => writer.stop(deadlineMs),
  };
}

class EventWriter {
  readonly cache = new SeriesCache();
  readonly #options: EventBroadcasterOptions;
  readonly #written: Counter;
  readonly #dropped: Counter;
  /** In order of arrival, hence of due time. */
  #waiting: { readonly series: Series; readonly dueMs: number }[] = [];
  #retries: Series[] = [];
  #inFlight = 0;
  #failures = 0;
  #isPaused = false;
  #isSweeping = false;
  #isAlarmSet = false;
  #hasLoggedForbidden = false;
  #state: 'running' | 'stopping' | 'stopped' = 'running';
  readonly #abort = new AbortController();
  #onIdle = () => {};

  constructor(options: EventBroadcasterOptions) {
    this.#options = options;
    this.#written = options.metrics.counter('manta_events_written_total', 'Writes of events to the API server.');
    this.#dropped = options.metrics.counter('manta_events_dropped_total', 'Events that were given up, by reason.');
  }

  record(series: Series): void {
    if (this.#state !== 'running') {
      this.#dropped.add({ reason: 'shutdown' });
      return;
    }
    if (series.isQueued || !wantsWrite(series)) return;
    if (this.#waiting.length >= MAX_QUEUED) {
      if (series.written === 0) this.#drop(series, 'queue_full');
      return;
    }
    this.#enqueue(series);
    this.#startSweeping();
  }

  async stop(deadlineMs: number): Promise<void> {
    if (this.#state !== 'running') return;
    this.#state = 'stopping';
    for (const series of this.cache.all()) if (!series.isQueued && series.count > series.written) this.#enqueue(series);
    this.#pump();
    const idle = new Promise<void>((resolve) => (this.#onIdle = resolve));
    if (!this.#isIdle()) {
      const deadline = new AbortController();
      await Promise.race([idle, sleep(this.#options.clock, deadlineMs, deadline.signal).catch(() => undefined)]);
      deadline.abort();
    }
    this.#state = 'stopped';
    const lost = this.#waiting.length + this.#retries.length + this.#inFlight;
    this.#abort.abort();
    if (lost === 0) return;
    this.#dropped.add({ reason: 'shutdown' }, lost);
    this.#options.log.warn('events were not written before the deadline', { events: lost });
  }

  #enqueue(series: Series): void {
    series.isQueued = true;
    this.#waiting.push({ series, dueMs: this.#options.clock.now() + FOLD_MS });
    this.#pump();
  }

  /** Starts as many writes as may run now, and sets the alarm for the next. */
  #pump(): void {
    while (this.#inFlight < MAX_IN_FLIGHT && !this.#isPaused && this.#state !== 'stopped') {
      const series = this.#retries.shift() ?? this.#takeDue();
      if (series === undefined) break;
      this.#inFlight += 1;
      void this.#write(series).finally(() => {
        this.#inFlight -= 1;
        this.#pump();
      });
    }
    if (this.#isIdle()) this.#onIdle();
  }

  #takeDue(): Series | undefined {
    const [head] = this.#waiting;
    if (head === undefined) return undefined;
    const waitMs = head.dueMs - this.#options.clock.now();
    // A due time far ahead means that the clock was set back: better early than never.
    if (waitMs <= 0 || waitMs > FOLD_MS || this.#state === 'stopping') return this.#waiting.shift()?.series;
    if (this.#isAlarmSet) return undefined;
    this.#isAlarmSet = true;
    this.#options.clock.setTimer(waitMs, () => {
      this.#isAlarmSet = false;
      this.#pump();
    });
    return undefined;
  }

  async #write(series: Series): Promise<void> {
    const { count } = series;
    const isCreate = series.written === 0;
    try {
      await (isCreate ? this.#create(series) : this.#patch(series));
      this.#written.add({ verb: isCreate ? 'create' : 'patch' });
      series.written = count;
      series.writtenMs = this.#options.clock.now();
      series.tries = 0;
      this.#failures = 0;
      this.#settle(series);
    } catch (error) {
      if (this.#state !== 'stopped') this.#fail(series, error, isCreate);
    }
  }

  #create(series: Series): Promise<unknown> {
    const repeated = series.count > 1 ? seriesValue(series) : undefined;
    const object = eventObject(series.input, series.reporter, series.name, series.firstMs, repeated);
    return this.#options.client.create(EVENTS, object, { ...this.#call(), shape: NOTHING });
  }

  #patch(series: Series): Promise<unknown> {
    const ref = { name: series.name, namespace: eventNamespace(series.input) };
    const patch = { type: 'merge', body: { series: seriesValue(series) } } as const;
    return this.#options.client.patch(EVENTS, ref, patch, this.#call());
  }

  #call() {
    return { timeoutMs: CALL_TIMEOUT_MS, signal: this.#abort.signal };
  }

  #fail(series: Series, error: unknown, wasCreate: boolean): void {
    const failure = classifyEventFailure(error, wasCreate);
    switch (failure.kind) {
      case 'exists':
        series.written = 1;
        this.#settle(series);
        return;
      case 'forgotten':
        series.written = 0;
        this.#retries.push(series);
        return;
      case 'retry':
        series.tries += 1;
        if (series.tries >= MAX_TRIES) this.#drop(series, 'retries_exhausted', error);
        else this.#retries.push(series);
        this.#pause(failure.afterMs);
        return;
      case 'drop':
        this.#drop(series, failure.reason, error);
        return;
      default:
        failure satisfies never;
    }
  }

  /** After a write: repetitions that came meanwhile may want another. */
  #settle(series: Series): void {
    series.isQueued = false;
    const isBehind = series.count > series.written;
    const isLastCall = series.isFinished || this.#state === 'stopping';
    if (isBehind && (isLastCall || wantsWrite(series))) this.#enqueue(series);
  }

  #drop(series: Series, reason: DropReason, error?: unknown): void {
    series.isQueued = false;
    this.cache.remove(series);
    this.#dropped.add({ reason });
    if (reason === 'namespace_gone' || reason === 'queue_full') return;
    if (reason === 'forbidden' && this.#hasLoggedForbidden) return;
    this.#hasLoggedForbidden ||= reason === 'forbidden';
    const { regarding, type, note } = series.input;
    const fields = { regarding, type, reason: series.input.reason, note, dropped: reason };
    this.#options.log.error('Event could not be written', error, fields);
  }

  /** All writes wait together: when one gets no answer, the others would not either. */
  #pause(afterMs: number | undefined): void {
    if (this.#isPaused) return;
    this.#isPaused = true;
    const backoffMs = Math.min(FIRST_PAUSE_MS * 2 ** this.#failures, MAX_PAUSE_MS);
    this.#failures += 1;
    this.#options.clock.setTimer(afterMs ?? backoffMs * (0.75 + this.#options.random() / 2), () => {
      this.#isPaused = false;
      this.#pump();
    });
  }

  #startSweeping(): void {
    if (this.#isSweeping) return;
    this.#isSweeping = true;
    this.#options.clock.setTimer(SWEEP_MS, () => {
      this.#isSweeping = false;
      if (this.#state !== 'running') return;
      for (const series of this.cache.sweep(this.#options.clock.now())) if (!series.isQueued) this.#enqueue(series);
      if (this.cache.size > 0) this.#startSweeping();
    });
  }

  #isIdle(): boolean {
    return this.#inFlight === 0 && this.#waiting.length === 0 && this.#retries.length === 0;
  }
}

function seriesValue(series: Series): EventSeriesValue {
  return { count: Math.max(2, series.count), lastObservedTime: microTime(series.lastMs) };
}
