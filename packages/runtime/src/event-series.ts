import { hash } from 'node:crypto';
import type { EventInput, ObjectReference, Reporter } from './event-object.ts';
import { eventName } from './event-object.ts';

/** After this long without a repetition a series is over; the next equal event starts a new one. */
const FINISH_MS = 6 * 60_000;
/** A running series is written at least this often, since the server forgets events after an hour. */
const REFRESH_MS = 30 * 60_000;
/** The oldest give way beyond this: a hard bound on memory, far above what a quiet cluster needs. */
const MAX_SERIES = 10_000;
/** Notes that are kept apart per key: the second reason of a failure is worth an event, the hundredth is not. */
const MAX_NOTES = 5;
/** A generated name suffix. */
const GENERATED = /-[bcdfghjklmnpqrstvwxz2456789]{5}\b/g;

/** Equal events as one series: the first event and the count. */
export interface Series {
  readonly key: string;
  readonly input: EventInput;
  readonly reporter: Reporter;
  readonly name: string;
  readonly firstMs: number;
  count: number;
  lastMs: number;
  /** The count that the server knows; 0 when the event has not been created. */
  written: number;
  writtenMs: number;
  tries: number;
  /** Waiting for its turn, or being written. */
  isQueued: boolean;
  /** No longer in the cache: one last write if the server's count is old. */
  isFinished: boolean;
}

/**
 * Which events are repetitions of which. The key is client-go's (type, action, reason, reporter, both objects with their versions, not
 * the note), except that different notes stay apart, up to five: of Warnings each, else those that differ by more than generated names,
 * so that a hundred pods of a group are one event and those of another group a second one.
 */
export class SeriesCache {
  readonly #byKey = new Map<string, Series[]>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Counts the event into its series, made on first sight. */
  observe(input: EventInput, reporter: Reporter, nowMs: number, random: () => number): Series {
    const key = keyOf(input, reporter);
    const known = this.#byKey.get(key);
    const found = known === undefined ? undefined : pick(known, input);
    if (found !== undefined) {
      found.count += 1;
      found.lastMs = nowMs;
      return found;
    }
    const series: Series = {
      key,
      input,
      reporter,
      name: eventName(input.regarding.name, nowMs, random),
      firstMs: nowMs,
      count: 1,
      lastMs: nowMs,
      written: 0,
      writtenMs: nowMs,
      tries: 0,
      isQueued: false,
      isFinished: false,
    };
    if (known === undefined) this.#byKey.set(key, [series]);
    else known.push(series);
    this.#size += 1;
    if (this.#size > MAX_SERIES) this.#forgetOldest();
    return series;
  }

  remove(series: Series): void {
    const known = this.#byKey.get(series.key);
    const at = known?.indexOf(series) ?? -1;
    if (known === undefined || at < 0) return;
    known.splice(at, 1);
    if (known.length === 0) this.#byKey.delete(series.key);
    this.#size -= 1;
    series.isFinished = true;
  }

  /** Ends the series that have gone quiet; returns those that want a write now: ended with an old count, or long running. */
  sweep(nowMs: number): readonly Series[] {
    const wanted: Series[] = [];
    for (const series of this.all()) {
      const isOver = nowMs - series.lastMs >= FINISH_MS;
      if (isOver && !series.isQueued) this.remove(series);
      const isOld = series.count > 1 && nowMs - series.writtenMs >= REFRESH_MS;
      if (series.isFinished ? series.count > series.written : isOld) wanted.push(series);
    }
    return wanted;
  }

  all(): readonly Series[] {
    return [...this.#byKey.values()].flat();
  }

  #forgetOldest(): void {
    for (const [series] of this.#byKey.values()) {
      if (series !== undefined) this.remove(series);
      return;
    }
  }
}

/** The server should hear of it: not at all yet, or its count is half of the truth. Between those, a repetition costs no request. */
export function wantsWrite(series: Series): boolean {
  return series.written === 0 || series.count >= 2 * series.written;
}

function pick(known: readonly Series[], input: EventInput): Series | undefined {
  const note = whatCounts(input);
  const same = known.find((series) => whatCounts(series.input) === note);
  return same ?? (known.length < MAX_NOTES ? undefined : known[0]);
}

function whatCounts({ type, note }: EventInput): string {
  return type === 'Normal' ? note.replaceAll(GENERATED, '-') : note;
}

/** A digest: thousands of keys are kept, and V8 would keep each as the dozen parts that it was put together from. */
function keyOf(input: EventInput, reporter: Reporter): string {
  const { type, action, reason, regarding, related } = input;
  const text = `${type}\n${action}\n${reason}\n${reporter.controller}\n${refKey(regarding)}\n${related === undefined ? '' : refKey(related)}`;
  return hash('sha1', text, 'base64');
}

function refKey(ref: ObjectReference): string {
  return `${ref.apiVersion} ${ref.kind} ${ref.namespace ?? ''}/${ref.name} ${ref.uid ?? ''} ${ref.resourceVersion ?? ''} ${ref.fieldPath ?? ''}`;
}
