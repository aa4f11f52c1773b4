/** What one reading of an answer cost. */
export interface AnswerCost {
  readonly bytesRead: number;
  /** 0 for an answer that was refused or equals the last one. */
  readonly bytesParsed: number;
}

/**
 * Remembers the last answer to one question, so that an equal one is neither parsed nor compared, and what reading cost. Mutable: the
 * client writes, the poller reads.
 */
export interface AnswerLedger {
  last: { readonly digest: string; readonly value: unknown } | undefined;
  cost: AnswerCost;
  /** Whether there is room to keep the deployed configurations of an answer with so many bytes. */
  readonly mayKeep: (bytes: number) => boolean;
}

/** Bytes of answers that are being read at the same time. */
export class ReadingBytes {
  readonly #max: number;
  #used = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** Counts bytes that are held from now on; false when there is no room for them, and then they are not counted. */
  take(bytes: number): boolean {
    if (this.#used + bytes > this.#max) return false;
    this.#used += bytes;
    return true;
  }

  give(bytes: number): void {
    this.#used -= bytes;
  }
}
