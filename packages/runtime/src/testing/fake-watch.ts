import type { KubeObject } from '@manta/api';
import type { WatchEvent } from '@manta/kube';

/** What to do to a watch instead of handing over its next event: end it in good order, or break it with an error. */
export type WatchCut = 'close' | Error | undefined;

/** The events of one watch on their way to its reader. */
export class FakeWatch implements AsyncIterable<WatchEvent<KubeObject>> {
  readonly #queue: WatchEvent<KubeObject>[] = [];
  readonly #cut: (event: WatchEvent<KubeObject>) => WatchCut;
  readonly #onEnd: () => void;
  #end: { readonly error: Error | undefined } | undefined;
  #wake: () => void = () => undefined;

  constructor(cut: (event: WatchEvent<KubeObject>) => WatchCut, onEnd: () => void) {
    this.#cut = cut;
    this.#onEnd = onEnd;
  }

  push(event: WatchEvent<KubeObject>): void {
    if (this.#end !== undefined) return;
    this.#queue.push(event);
    this.#wake();
  }

  /** Ends the watch after what is queued; with an error, at once. */
  end(error?: Error): void {
    if (this.#end !== undefined) return;
    this.#end = { error };
    if (error !== undefined) this.#queue.length = 0;
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<WatchEvent<KubeObject>> {
    try {
      for (;;) {
        const event = this.#queue.shift();
        if (event !== undefined) {
          const cut = this.#cut(event);
          if (cut === 'close') return;
          if (cut !== undefined) throw cut;
          yield event;
        } else if (this.#end === undefined) {
          await new Promise<void>((resolve) => {
            this.#wake = resolve;
          });
        } else if (this.#end.error === undefined) return;
        else throw this.#end.error;
      }
    } finally {
      this.#onEnd();
    }
  }
}
