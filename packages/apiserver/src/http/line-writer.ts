import { API_SERVER_LIMITS, guard } from '@manta/base';
import type { HttpResponse } from './http-request.ts';

/** A client with so many bytes waiting is too slow and is let go; it lists again when it is back. */
const SLOW_BYTES = API_SERVER_LIMITS.watchBacklogBytes;

/** The lines of one stream: those of one turn of the event loop are written together. */
export class LineWriter {
  readonly #response: HttpResponse;
  #pieces: Uint8Array[] = [];
  #waiting = 0;
  /** What a client may leave waiting: it has asked for the state it begins with, however large. */
  #patience = SLOW_BYTES;
  #isOpen = false;
  #isScheduled = false;
  #hasEnded = false;

  constructor(response: HttpResponse) {
    this.#response = response;
  }

  /** Sends what has come so far, and everything later; the headers are written by now. */
  open(): void {
    this.#isOpen = true;
    this.#patience += this.#waiting;
    if (this.#pieces.length === 0) this.#response.flushHeaders?.();
    this.#flush();
  }

  /** Adds a line, in pieces. */
  write(...pieces: readonly Uint8Array[]): void {
    if (this.#hasEnded) return;
    this.#pieces.push(...pieces);
    for (const piece of pieces) this.#waiting += piece.length;
    if (!this.#isOpen || this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(guard('API server', this.#response, () => this.#flush()));
  }

  end(): void {
    this.#hasEnded = true;
    if (this.#isOpen) this.#flush();
  }

  #flush(): void {
    this.#isScheduled = false;
    if (this.#response.writableLength + this.#waiting > this.#patience) {
      this.#response.destroy();
      return;
    }
    if (this.#pieces.length > 0) this.#response.write(joined(this.#pieces));
    [this.#pieces, this.#waiting] = [[], 0];
    if (this.#hasEnded) this.#response.end();
  }
}

/** Watchers of the same objects have the same pieces waiting: they are put together once. */
let last: { readonly pieces: readonly Uint8Array[]; readonly bytes: Uint8Array } | undefined;

/** More than that is the state that one watch begins with; keeping it would only cost memory. */
const SHARED_PIECES = 1_000;

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  if (pieces.length > SHARED_PIECES) return Buffer.concat(pieces);
  if (last?.pieces.length !== pieces.length || !pieces.every((piece, i) => last?.pieces[i] === piece)) {
    last = { pieces, bytes: Buffer.concat(pieces) };
  }
  return last.bytes;
}
