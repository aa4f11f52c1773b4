import type { Store, StoredObject, StoreEvent } from '@manta/engine';

/** One write to the store, when it happened and who wrote. */
export interface SimEvent extends StoreEvent {
  readonly at: number;
  /** `user`, `environment`, or a program's name; `server` for what the API server does by itself. */
  readonly by: string;
}

/** What excuses a program's mistakes: it could not know better. */
export interface Facts {
  /** Writes whose answer never reached a living program: they may have been carried out, or may yet be. */
  doubtfulWrites: number;
  /** Reads that were answered from an older state. */
  staleReads: number;
  /** How often an instance started while another of the same program was running. */
  overlaps: number;
}

/** All that happened, as invariants see it. */
export interface History {
  readonly events: readonly SimEvent[];
  /** Those since the last look. */
  readonly fresh: readonly SimEvent[];
  readonly facts: Readonly<Facts>;
  /** What is stored now; by the store's name of the resource, e.g. `/pods` or `ray.io/rayclusters`. */
  list(resource: StoreEvent['key']['resource']): readonly StoredObject[];
}

/** Says what is wrong, or nothing. Called after every step that wrote. */
export type Invariant = (history: History) => string | undefined;

/** Writes down what the store tells. */
export class Recorder implements History {
  readonly facts: Facts = { doubtfulWrites: 0, staleReads: 0, overlaps: 0 };
  readonly #store: Store;
  readonly #events: SimEvent[] = [];
  #looked = 0;

  constructor(store: Store, now: () => number, by: () => string) {
    this.#store = store;
    store.watch(store.revision, (event) => this.#events.push({ ...event, at: now(), by: by() }));
  }

  get events(): readonly SimEvent[] {
    return this.#events;
  }

  get fresh(): readonly SimEvent[] {
    return this.#events.slice(this.#looked);
  }

  list(resource: StoreEvent['key']['resource']): readonly StoredObject[] {
    return this.#store.list(resource);
  }

  /** What is fresh now is not any more. */
  looked(): void {
    this.#looked = this.#events.length;
  }
}
