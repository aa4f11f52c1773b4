import type { Cut, WatchGate } from '../../http/watch-response.ts';
import type { FaultCall } from './call.ts';
import type { Wire } from './wire.ts';

/** A watch's gate that the switchboard can freeze: events are held back until it is released. */
export interface StreamGate extends WatchGate {
  readonly call: FaultCall;
}

export interface GateOptions {
  readonly wire: Wire;
  /** What is on its way is lost; nothing is delivered afterwards. */
  readonly onCut: (how: Cut) => void;
}

/** A gate with the handles that the switchboard pulls. */
export class Gate implements StreamGate {
  readonly call: FaultCall;
  readonly #options: GateOptions;
  readonly #delay: () => number;
  readonly #onClose: (gate: Gate) => void;
  readonly #queue: (() => void)[] = [];
  #isMoving = false;
  #isFrozen = false;
  #isClosed = false;

  constructor(call: FaultCall, options: GateOptions, delay: () => number, onClose: (gate: Gate) => void) {
    this.call = call;
    this.#options = options;
    this.#delay = delay;
    this.#onClose = onClose;
  }

  send(deliver: () => void): void {
    if (this.#isClosed) return;
    this.#queue.push(deliver);
    this.#move();
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#queue.length = 0;
    this.#onClose(this);
  }

  setFrozen(isFrozen: boolean): void {
    this.#isFrozen = isFrozen;
    this.#move();
  }

  cut(how: Cut): void {
    if (this.#isClosed) return;
    this.close();
    this.#options.onCut(how);
  }

  /** Sends the first in the queue on its way; one that arrives at a frozen gate waits there. */
  #move(): void {
    if (this.#isMoving || this.#isFrozen || this.#isClosed || this.#queue.length === 0) return;
    this.#isMoving = true;
    this.#options.wire.carry({ what: 'event', call: this.call, delayMs: this.#delay() }, () => {
      this.#isMoving = false;
      if (this.#isFrozen || this.#isClosed) return;
      this.#queue.shift()?.();
      this.#move();
    });
  }
}
