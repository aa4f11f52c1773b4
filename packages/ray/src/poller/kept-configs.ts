/** Bounds the memory for deployed Serve configurations that answers repeat, over all heads. */
export class KeptConfigs {
  readonly #max: number;
  readonly #bytes = new Map<object, number>();
  #total = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** Whether the configurations in this question's newest answer may be kept; its former answer no longer counts. */
  mayKeep(question: object, bytes: number): boolean {
    this.drop(question);
    // As much room again stays free, so that a few heads with large answers cannot take all of it.
    if (this.#total + 2 * bytes > this.#max) return false;
    this.#bytes.set(question, bytes);
    this.#total += bytes;
    return true;
  }

  /** The question is no longer asked. */
  drop(question: object): void {
    this.#total -= this.#bytes.get(question) ?? 0;
    this.#bytes.delete(question);
  }
}
