import { closeSync, type FSWatcher, openSync, statSync, watch } from 'node:fs';
import type { Clock } from '@manta/kube';

/** How exact times are while much is said. */
const STEP_MS = 50;
/** Of more than so many moments every second one is forgotten. */
const MOST_MARKS = 8192;

/** How long a file was at a moment. */
interface Mark {
  readonly size: number;
  readonly ms: number;
}

/** When a container said what: how long the file of its output was when, noted as it grows. The file is the process's own; nothing goes through here. */
export class OutputTimes {
  readonly path: string;
  readonly #clock: Clock;
  #marks: Mark[] = [];
  #watcher: FSWatcher | undefined;
  #isDue = false;
  #cancel: (() => void) | undefined;

  constructor(path: string, clock: Clock) {
    this.path = path;
    this.#clock = clock;
    try {
      closeSync(openSync(path, 'a'));
      this.#watcher = watch(path, { persistent: false }, () => this.#grown());
      this.#watcher.on('error', () => this.close());
    } catch {
      // Where files cannot be watched, all is as old as the first who asks.
    }
  }

  /** When the byte at this place was written. */
  at(place: number): number {
    this.#note();
    return this.#marks[this.#firstBeyond(place)]?.ms ?? this.#clock.now();
  }

  /** The first place that was not written before a moment. */
  since(ms: number): number {
    this.#note();
    return this.#marks.findLast((mark) => mark.ms < ms)?.size ?? 0;
  }

  /** Nothing more is said. */
  close(): void {
    this.#note();
    this.#cancel?.();
    this.#watcher?.close();
    this.#watcher = undefined;
  }

  #grown(): void {
    this.#isDue = true;
    if (this.#cancel !== undefined) return;
    this.#note();
    this.#cancel = this.#clock.setTimer(STEP_MS, () => {
      this.#cancel = undefined;
      if (this.#isDue) this.#grown();
    });
  }

  #note(): void {
    this.#isDue = false;
    const size = statSync(this.path, { throwIfNoEntry: false })?.size ?? 0;
    if (size <= (this.#marks.at(-1)?.size ?? 0)) return;
    this.#marks.push({ size, ms: this.#clock.now() });
    if (this.#marks.length > MOST_MARKS) this.#marks = this.#marks.filter((_, index) => index % 2 === 1);
  }

  #firstBeyond(place: number): number {
    let [low, high] = [0, this.#marks.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#marks[middle]?.size ?? 0) > place) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}
