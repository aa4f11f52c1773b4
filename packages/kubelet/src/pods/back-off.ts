const FIRST_MS = 10_000;
const LONGEST_MS = 300_000;
/** A run this long is a success, whatever its end. */
const FORGIVING_MS = 600_000;

/** How long to wait after so many failures in a row. */
export function backOffMs(failures: number): number {
  return Math.min(FIRST_MS * 2 ** (failures - 1), LONGEST_MS);
}

/** Counts a container's ends: the first restart comes at once, each further one later, until a long run makes it the first again. */
export class BackOff {
  #ends = 0;

  /** How long to wait before it is started again after a run this long. */
  after(runMs: number): number {
    this.#ends = runMs > FORGIVING_MS ? 1 : this.#ends + 1;
    return this.#ends === 1 ? 0 : backOffMs(this.#ends - 1);
  }
}
