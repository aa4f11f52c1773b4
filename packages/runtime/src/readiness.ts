import type { Informer } from './informer.ts';
import { describeStatus } from './informer-status.ts';

/** Whether the informers that a controller reads hold what it needs. */
export class Readiness {
  readonly #required: readonly Informer[];
  readonly #optional: readonly Informer[];

  constructor(required: readonly Informer[], optional: readonly Informer[]) {
    this.#required = required;
    this.#optional = optional;
  }

  /**
   * Why keys of this namespace (absent: any key at all) cannot be worked on, or undefined when they can. A required informer must
   * have its content and still be readable; an optional one must only have made up its mind.
   */
  whyNot(namespace?: string): string | undefined {
    const missing = this.#required.find((informer) => !informer.isReady(namespace));
    if (missing !== undefined) return describeStatus(missing.type.kind, missing.status());
    const undecided = this.#optional.find((informer) => !isDecided(informer));
    return undecided === undefined ? undefined : describeStatus(undecided.type.kind, undecided.status());
  }

  /** Calls `handler` when the answer may have changed; returns its own undo. */
  onChange(handler: () => void): () => void {
    const undo = [...this.#required, ...this.#optional].map((informer) => informer.onStatus(handler));
    return () => {
      for (const run of undo) run();
    };
  }
}

/** Whether an informer has its first content, or knows that it cannot have it. */
export function isDecided(informer: Informer): boolean {
  const { phase } = informer.status();
  return informer.hasSynced() || phase === 'forbidden' || phase === 'absent';
}
