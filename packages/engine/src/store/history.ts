import type { Revision, StoreEvent } from './contract.ts';

/** The most recent writes, oldest first, bounded in number. */
export class History {
  #events: StoreEvent[] = [];
  /** Events before this position have been forgotten; they are cut off in bulk to keep appending cheap. */
  #start = 0;
  #compacted: Revision;
  readonly #limit: number;

  constructor(limit: number, from: Revision) {
    this.#limit = limit;
    this.#compacted = from;
  }

  /** The oldest revision after which everything is still known. */
  get compactedRevision(): Revision {
    return this.#compacted;
  }

  append(event: StoreEvent): void {
    this.#events.push(event);
    const overflow = this.#events.length - this.#start - this.#limit;
    const last = overflow > 0 ? this.#events[this.#start + overflow - 1] : undefined;
    if (last !== undefined) this.compact(last.revision);
  }

  /** What happened after `revision`, which must not be older than `compactedRevision`. */
  after(revision: Revision): readonly StoreEvent[] {
    return this.#events.slice(this.#position(revision));
  }

  compact(revision: Revision): void {
    if (revision <= this.#compacted) return;
    this.#compacted = revision;
    this.#start = this.#position(revision);
    if (this.#start > this.#limit) {
      this.#events = this.#events.slice(this.#start);
      this.#start = 0;
    }
  }

  /** The first event newer than `revision`. */
  #position(revision: Revision): number {
    let low = this.#start;
    let high = this.#events.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#events[middle]?.revision ?? 0) <= revision) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
