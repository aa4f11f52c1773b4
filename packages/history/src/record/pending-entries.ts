import type { HistoryEntry } from '../store/entries.ts';

/** What is given up first when the store cannot keep up. */
const LEAST_VALUABLE_FIRST: readonly HistoryEntry['kind'][] = ['log', 'event', 'pod', 'version'];

/**
 * Entries that wait to be written, with a limit in bytes. If the limit is reached, the oldest entries of the least valuable kind are dropped
 * and counted: the memory of the process is bounded whatever the disk does.
 */
export class PendingEntries {
  readonly #limit: number;
  readonly #waiting = new Map<HistoryEntry['kind'], { readonly entry: HistoryEntry; readonly bytes: number }[]>();
  readonly #dropped = new Map<HistoryEntry['kind'], number>();
  #bytes = 0;

  constructor(limitBytes: number) {
    this.#limit = limitBytes;
  }

  get size(): number {
    return [...this.#waiting.values()].reduce((sum, { length }) => sum + length, 0);
  }

  add(entry: HistoryEntry): void {
    const bytes = sizeOf(entry);
    const list = this.#waiting.get(entry.kind) ?? [];
    list.push({ entry, bytes });
    this.#waiting.set(entry.kind, list);
    this.#bytes += bytes;
    while (this.#bytes > this.#limit && this.#dropOne());
  }

  /** Takes out all entries, the most valuable kinds first. `putBack` returns them if they could not be written. */
  takeAll(): readonly HistoryEntry[] {
    const taken = LEAST_VALUABLE_FIRST.toReversed().flatMap((kind) => this.#waiting.get(kind) ?? []);
    this.#waiting.clear();
    this.#bytes = 0;
    return taken.map(({ entry }) => entry);
  }

  putBack(entries: readonly HistoryEntry[]): void {
    const newer = this.takeAll();
    for (const entry of [...entries, ...newer]) this.add(entry);
  }

  /** Counts an entry that could not be made. */
  countDropped(kind: HistoryEntry['kind']): void {
    this.#dropped.set(kind, (this.#dropped.get(kind) ?? 0) + 1);
  }

  /** How many entries of each kind were dropped since the last call. */
  takeDropped(): ReadonlyMap<HistoryEntry['kind'], number> {
    const dropped = new Map(this.#dropped);
    this.#dropped.clear();
    return dropped;
  }

  /** Drops the oldest entry of the least valuable kind; false if nothing is left. */
  #dropOne(): boolean {
    for (const kind of LEAST_VALUABLE_FIRST) {
      const oldest = this.#waiting.get(kind)?.shift();
      if (oldest === undefined) continue;
      this.#bytes -= oldest.bytes;
      this.countDropped(kind);
      return true;
    }
    return false;
  }
}

/** About what an entry takes in memory. */
function sizeOf(entry: HistoryEntry): number {
  switch (entry.kind) {
    case 'version':
      return 500 + (entry.document === undefined ? 0 : JSON.stringify(entry.document).length);
    case 'log':
      return 200 + entry.text.length;
    case 'event':
      return 500 + entry.message.length;
    case 'pod':
      return 500 + entry.ends.reduce((sum, { message }) => sum + 200 + message.length, 0);
  }
}
