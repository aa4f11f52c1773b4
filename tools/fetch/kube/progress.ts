/** Something lines of text can be written to; stderr in the program, an array in tests. */
export interface ProgressSink {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

const lineEveryMs = 30_000;
const redrawEveryMs = 1_000;

/**
 * Shows that long work goes on: on a terminal one line that counts seconds, elsewhere a line at the start, every half minute and at the
 * end.
 */
export class Progress {
  readonly #sink: ProgressSink;
  readonly #startedAt = performance.now();

  constructor(sink: ProgressSink) {
    this.#sink = sink;
  }

  /** Writes one line that stays. */
  say(text: string): void {
    this.#sink.write(`kube:assets: ${text}\n`);
  }

  /** Seconds since this progress began, as whole text. */
  elapsed(): string {
    return `${Math.round((performance.now() - this.#startedAt) / 1000)} s`;
  }

  /** Runs work under a title, with the time it takes shown while it runs and when it is done. */
  async during<T>(title: string, work: () => Promise<T>): Promise<T> {
    const startedAt = performance.now();
    const seconds = () => Math.round((performance.now() - startedAt) / 1000);
    const tty = this.#sink.isTTY === true;
    if (!tty) this.say(`${title}…`);
    const timer = setInterval(
      () => {
        if (tty) this.#sink.write(`\r\u001b[Kkube:assets: ${title}… ${seconds()} s`);
        else this.say(`${title}… ${seconds()} s`);
      },
      tty ? redrawEveryMs : lineEveryMs,
    );
    try {
      const result = await work();
      if (tty) this.#sink.write('\r\u001b[K');
      this.say(`${title}: done in ${seconds()} s (${this.elapsed()} in all)`);
      return result;
    } catch (error) {
      if (tty) this.#sink.write('\r\u001b[K');
      this.say(`${title}: failed after ${seconds()} s`);
      throw error;
    } finally {
      clearInterval(timer);
    }
  }
}
