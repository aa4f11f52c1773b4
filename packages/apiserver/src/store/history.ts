import type { Revision, StoreEvent } from './contract.ts';

/** How much history is kept: whichever limit is reached first. */
export interface HistoryLimits {
  readonly events: number;
  /** Bytes of JSON of the objects after each write. The object before a write is that of an older write, so that it costs nothing more. */
  readonly bytes: number;
}

interface Entry {
  readonly event: StoreEvent;
  readonly bytes: number;
}

/** The most recent writes, oldest first, bounded in number and in bytes. */
export class History {
  /** Entries before `#start` have been forgotten, and are undefined; they are cut off in bulk to keep appending cheap. */
  #entries: (Entry | undefined)[] = [];
  #start = 0;
  #bytes = 0;
  #compacted: Revision;
  readonly #limits: HistoryLimits;

  constructor(limits: HistoryLimits, from: Revision) {
    this.#limits = limits;
    this.#compacted = from;
  }

  /** The oldest revision after which everything is still known. */
  get compactedRevision(): Revision {
    return this.#compacted;
  }

  /** Adds a write whose object has this many bytes of JSON, and forgets the oldest ones beyond the limits. */
  append(event: StoreEvent, bytes: number): void {
    this.#entries.push({ event, bytes });
    this.#bytes += bytes;
    while (this.#entries.length - this.#start > this.#limits.events || this.#bytes > this.#limits.bytes) {
      const oldest = this.#entries[this.#start];
      if (oldest === undefined) return;
      this.compact(oldest.event.revision);
    }
  }

  /** What happened after `revision`, which must not be older than `compactedRevision`. */
  after(revision: Revision): readonly StoreEvent[] {
    return this.#entries.slice(this.#position(revision)).flatMap((entry) => (entry === undefined ? [] : [entry.event]));
  }

  compact(revision: Revision): void {
    if (revision <= this.#compacted) return;
    this.#compacted = revision;
    for (let entry = this.#entries[this.#start]; entry !== undefined && entry.event.revision <= revision; ) {
      this.#bytes -= entry.bytes;
      this.#entries[this.#start] = undefined;
      this.#start += 1;
      entry = this.#entries[this.#start];
    }
    if (this.#start * 2 <= this.#entries.length) return;
    this.#entries = this.#entries.slice(this.#start);
    this.#start = 0;
  }

  /** The first event newer than `revision`. */
  #position(revision: Revision): number {
    let low = this.#start;
    let high = this.#entries.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#entries[middle]?.event.revision ?? 0) <= revision) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
