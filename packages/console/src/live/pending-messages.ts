/**
 * Messages that wait for a slow viewer. A newer message about an object replaces the older one, so that what waits never exceeds the
 * number of objects, however slow the viewer is.
 */
export class PendingMessages {
  readonly #messages = new Map<string, string>();
  #wake: (() => void) | undefined;

  /** `key` names the object; a message without one is never replaced. */
  add(message: string, key = `\0${this.#count()}`): void {
    // Deleted first: the newer message takes its place at the end, behind a snapshot that may have come in between.
    this.#messages.delete(key);
    this.#messages.set(key, message);
    this.#wake?.();
  }

  /** All that waits; resolves once there is something, or with undefined once the signal is aborted. */
  async take(signal: AbortSignal): Promise<readonly string[] | undefined> {
    while (this.#messages.size === 0 && !signal.aborted) {
      await new Promise<void>((resolve) => {
        const done = () => {
          signal.removeEventListener('abort', done);
          this.#wake = undefined;
          resolve();
        };
        this.#wake = done;
        signal.addEventListener('abort', done, { once: true });
      });
    }
    if (this.#messages.size === 0) return undefined;
    const messages = [...this.#messages.values()];
    this.#messages.clear();
    return messages;
  }

  get size(): number {
    return this.#messages.size;
  }

  #sequence = 0;
  #count(): number {
    this.#sequence += 1;
    return this.#sequence;
  }
}
