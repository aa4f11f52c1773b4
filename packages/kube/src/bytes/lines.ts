import { PendingBytes } from './pending-bytes.ts';

const NEWLINE = 0x0a;

/** Splits bytes that arrive in any pieces into lines: watch events, logs. Empty lines are left out. */
export class LineSplitter {
  readonly #pending = new PendingBytes();

  /** The lines that this chunk completes, without their newlines. */
  push(chunk: Uint8Array): string[] {
    const lines: string[] = [];
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      const line = this.#pending.take(chunk.subarray(start, end));
      if (line !== '') lines.push(line);
      start = end + 1;
    }
    this.#pending.add(chunk.subarray(start));
    return lines;
  }

  /** What is left at the end: a last line without a newline, or ''. */
  end(): string {
    return this.#pending.take(new Uint8Array());
  }
}
