/** Starts work with a slot; the work must call `release` once. */
type Start = (release: () => void) => void;

/**
 * Bounds the requests that are under way over all heads. Heads that have not answered lately share three quarters of the slots, so that
 * even a thousand heads that hang leave room for those that answer.
 */
export class Slots {
  readonly #max: number;
  readonly #maxUnproven: number;
  readonly #waiting: { readonly proven: Set<Start>; readonly unproven: Set<Start> } = {
    proven: new Set(),
    unproven: new Set(),
  };
  #inUse = 0;
  #unprovenInUse = 0;

  constructor(max: number) {
    this.#max = max;
    this.#maxUnproven = Math.max(1, Math.floor((max * 3) / 4));
  }

  /** Calls `start` when a slot is free, perhaps at once; the returned function gives the wait up. */
  take(isProven: boolean, start: Start): () => void {
    const waiting = isProven ? this.#waiting.proven : this.#waiting.unproven;
    waiting.add(start);
    this.#fill();
    return () => waiting.delete(start);
  }

  #fill(): void {
    for (let next = this.#next(); next !== undefined; next = this.#next()) this.#run(next.start, next.isProven);
  }

  #next(): { readonly start: Start; readonly isProven: boolean } | undefined {
    if (this.#inUse >= this.#max) return undefined;
    for (const start of this.#waiting.proven) return { start, isProven: true };
    if (this.#unprovenInUse >= this.#maxUnproven) return undefined;
    for (const start of this.#waiting.unproven) return { start, isProven: false };
    return undefined;
  }

  #run(start: Start, isProven: boolean): void {
    this.#waiting[isProven ? 'proven' : 'unproven'].delete(start);
    this.#inUse += 1;
    if (!isProven) this.#unprovenInUse += 1;
    let isReleased = false;
    start(() => {
      if (isReleased) return;
      isReleased = true;
      this.#inUse -= 1;
      if (!isProven) this.#unprovenInUse -= 1;
      this.#fill();
    });
  }
}
