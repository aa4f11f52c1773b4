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

/**
 * Bytes of answers that are being read at the same time. No answer may take more than it leaves to others: however many heads begin large
 * answers and do not end them, there is room for small ones.
 */
export class ReadingBytes {
  readonly #max: number;
  #used = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** Counts bytes that are held from now on, by an answer that holds `held` already; false when it may hold no more, and then they are not counted. */
  take(bytes: number, held: number): boolean {
    if (held + bytes > this.#max - this.#used - bytes) return false;
    this.#used += bytes;
    return true;
  }

  give(bytes: number): void {
    this.#used -= bytes;
  }
}
