import type { LogMessage } from '../protocol.ts';

/** Limits of one log stream: whatever a container writes, the console keeps and sends no more than this. */
export interface LogLimits {
  /** Characters of a line; the rest is cut, and the line says how much. */
  readonly lineLength: number;
  /** Lines and characters that wait for the browser. Beyond them a followed log drops its oldest lines; a finite one is read more slowly. */
  readonly keptLines: number;
  readonly keptLength: number;
  /** Lines and characters of one message. */
  readonly batchLines: number;
  readonly batchLength: number;
  /** Time between two messages. */
  readonly pauseMs: number;
}

export const LOG_LIMITS: LogLimits = {
  lineLength: 16 * 1024,
  keptLines: 20_000,
  keptLength: 8 * 1024 * 1024,
  batchLines: 2_000,
  batchLength: 1024 * 1024,
  pauseMs: 100,
};

/** The lines of a log that wait for a browser, bounded however long or fast they are. */
export class LogLines {
  readonly #limits: LogLimits;
  #lines: string[] = [];
  #length = 0;
  #dropped = 0;
  #partial = '';
  /** Characters of the unfinished line that were cut. */
  #cut = 0;

  constructor(limits: LogLimits = LOG_LIMITS) {
    this.#limits = limits;
  }

  push(text: string): void {
    let start = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      this.#extend(text.slice(start, end));
      this.#finishLine();
      start = end + 1;
    }
    this.#extend(text.slice(start));
  }

  /** A last line without a newline counts, too. */
  end(): void {
    if (this.#partial !== '') this.#finishLine();
  }

  get isFull(): boolean {
    return this.#lines.length >= this.#limits.keptLines || this.#length >= this.#limits.keptLength;
  }

  /** Drops the oldest lines until the limits hold; the next message counts them. */
  dropSurplus(): void {
    let surplus = Math.max(0, this.#lines.length - this.#limits.keptLines);
    for (let at = 0; at < surplus; at++) this.#length -= this.#lines[at]?.length ?? 0;
    while (this.#length > this.#limits.keptLength && surplus < this.#lines.length) {
      this.#length -= this.#lines[surplus]?.length ?? 0;
      surplus++;
    }
    if (surplus === 0) return;
    this.#lines = this.#lines.slice(surplus);
    this.#dropped += surplus;
  }

  /** The next message; undefined: no complete line waits. */
  take(): Extract<LogMessage, { readonly type: 'lines' }> | undefined {
    if (this.#lines.length === 0) return undefined;
    let count = 0;
    let length = 0;
    while (count < this.#lines.length && count < this.#limits.batchLines && length < this.#limits.batchLength) {
      length += this.#lines[count]?.length ?? 0;
      count++;
    }
    const lines = this.#lines.slice(0, count);
    this.#lines = this.#lines.slice(count);
    this.#length -= length;
    const dropped = this.#dropped;
    this.#dropped = 0;
    return { type: 'lines', lines, ...(dropped === 0 ? {} : { dropped }) };
  }

  #extend(text: string): void {
    const room = this.#limits.lineLength - this.#partial.length;
    this.#partial += text.slice(0, room);
    this.#cut += Math.max(0, text.length - room);
  }

  #finishLine(): void {
    const line = this.#cut === 0 ? this.#partial : `${this.#partial} … (${this.#cut} more characters)`;
    this.#lines.push(line.endsWith('\r') ? line.slice(0, -1) : line);
    this.#length += line.length;
    this.#partial = '';
    this.#cut = 0;
  }
}
