import type { Store, StoredObject, StoreEvent } from '@manta/apiserver';
import type { Answer, RequestLog, SimRequest } from './requests.ts';

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
  /** What a true clock shows. */
  readonly now: number;
  readonly events: readonly SimEvent[];
  /** Those since the last look. */
  readonly fresh: readonly SimEvent[];
  /** Every write that the program asked for, whatever came of it. */
  readonly requests: readonly SimRequest[];
  /** Those that were answered since the last look. */
  readonly answered: readonly SimRequest[];
  readonly facts: Readonly<Facts>;
  /** What is stored now; by the store's name of the resource, e.g. `/pods` or `ray.io/rayclusters`. */
  list(resource: StoreEvent['key']['resource']): readonly StoredObject[];
}

/** Says what is wrong, or nothing. Called after every step that wrote, or that told the program of a write. */
export type Invariant = (history: History) => string | undefined;

/** Writes down what the store tells, and what the program asks for. */
export class Recorder implements History, RequestLog {
  readonly facts: Facts = { doubtfulWrites: 0, staleReads: 0, overlaps: 0 };
  readonly #store: Store;
  readonly #now: () => number;
  readonly #events: SimEvent[] = [];
  readonly #requests: SimRequest[] = [];
  #fresh: SimEvent[] = [];
  #answered: SimRequest[] = [];

  constructor(store: Store, now: () => number, by: () => string) {
    this.#store = store;
    this.#now = now;
    store.watch(store.revision, (each) => {
      const event = { ...each, at: now(), by: by() };
      this.#events.push(event);
      this.#fresh.push(event);
    });
  }

  get now(): number {
    return this.#now();
  }

  get events(): readonly SimEvent[] {
    return this.#events;
  }

  get fresh(): readonly SimEvent[] {
    return this.#fresh;
  }

  get requests(): readonly SimRequest[] {
    return this.#requests;
  }

  get answered(): readonly SimRequest[] {
    return this.#answered;
  }

  list(resource: StoreEvent['key']['resource']): readonly StoredObject[] {
    return this.#store.list(resource);
  }

  sent(given: Pick<SimRequest, 'life' | 'verb' | 'plural' | 'name'>): SimRequest {
    const sentAt = this.#now();
    const request = { ...given, sentAt, revision: this.#store.revision, answer: undefined, answeredAt: undefined };
    this.#requests.push(request);
    return request;
  }

  told(request: SimRequest, answer: Answer): void {
    request.answer = answer;
    request.answeredAt = this.#now();
    this.#answered.push(request);
  }

  /** What is fresh now is not any more. */
  looked(): void {
    this.#fresh = [];
    this.#answered = [];
  }
}
