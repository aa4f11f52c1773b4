import { closeSync, type FSWatcher, openSync, statSync, watch } from 'node:fs';
import { POD_LIMITS } from '@manta/base';
import type { Clock } from '@manta/kube';
import { freeOutput } from './free-output.ts';

/** How exact times are while much is said. */
const STEP_MS = 50;
/** Of more than so many moments every second one is forgotten. */
const MOST_MARKS = 8192;

/** How long a file was at a moment. */
interface Mark {
  readonly size: number;
  readonly ms: number;
}

/** How often a file is measured that cannot be watched. */
const UNWATCHED_MS = 5_000;
/** The unit in which disks give room back. */
const BLOCK_BYTES = 4096;

/**
 * When a container said what: how long the file of its output was when, noted as it grows. The file is the process's own; nothing goes through
 * here. The beginning of a long output is given back to the disk: of each run the last `POD_LIMITS.keptOutputBytes` at least are kept.
 */
export class OutputTimes {
  readonly path: string;
  readonly #clock: Clock;
  #marks: Mark[] = [];
  #first = 0;
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
      this.#measureNowAndThen();
    }
  }

  /** The first offset that is still kept. */
  get first(): number {
    return this.#first;
  }

  /** When the byte at this offset was written. */
  at(offset: number): number {
    this.#note();
    return this.#marks[this.#firstBeyond(offset)]?.ms ?? this.#clock.now();
  }

  /** The first offset that was not written before a moment. */
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
    const known = this.#marks.at(-1)?.size ?? 0;
    // Emptied, since the file system has no holes, or by the container itself.
    if (size < known) [this.#marks, this.#first] = [[], 0];
    else if (size === known) return;
    this.#free(size);
    this.#marks.push({ size, ms: this.#clock.now() });
    if (this.#marks.length > MOST_MARKS) this.#marks = this.#marks.filter((_, index) => index % 2 === 1);
  }

  #free(size: number): void {
    if (size - this.#first <= POD_LIMITS.outputBytes) return;
    const from = this.#first;
    this.#first = size - POD_LIMITS.keptOutputBytes - (size % BLOCK_BYTES);
    freeOutput(this.path, from, this.#first);
  }

  #measureNowAndThen(): void {
    this.#cancel = this.#clock.setTimer(UNWATCHED_MS, () => {
      this.#note();
      this.#measureNowAndThen();
    });
  }

  #firstBeyond(offset: number): number {
    let [low, high] = [0, this.#marks.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#marks[middle]?.size ?? 0) > offset) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}
