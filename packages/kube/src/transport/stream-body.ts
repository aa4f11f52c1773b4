import { guard } from '@manta/base';
import type { Readable } from 'node:stream';
import type { ResponseBody } from './transport.ts';

export interface BodySource {
  readonly stream: Readable;
  /** Asked when the stream has ended: undefined when every byte came, else why the rest is missing. */
  incompleteBecause(receivedBytes: number): Error | undefined;
  /** Stops the transfer, and cancels the stream if the protocol allows it. */
  cancel(): void;
  /** Called once, after the last byte or the failure. */
  settled(receivedBytes: number): void;
}

/** Bytes kept for a slow reader before the sender is asked to wait. */
const HIGH_WATER_BYTES = 256 * 1024;

/** An answer's body over a Node stream, with back-pressure; ending an iteration early cancels the request. */
export class StreamBody implements ResponseBody, AsyncIterator<Uint8Array> {
  readonly #source: BodySource;
  #chunks: Uint8Array[] = [];
  #queuedBytes = 0;
  #receivedBytes = 0;
  #isSettled = false;
  #isCollecting = false;
  #failure: { readonly reason: unknown } | undefined;
  #wake: (() => void) | undefined;

  constructor(source: BodySource) {
    this.#source = source;
    source.stream.on('data', this.#onData);
    source.stream.on('end', this.#onEnd);
    source.stream.on('close', this.#onEnd);
  }

  /** Ends the body early: reading rejects with this error. */
  fail(reason: unknown): void {
    if (this.#isSettled) return;
    this.#failure = { reason };
    this.#source.cancel();
    this.#settle();
  }

  async collect(): Promise<Uint8Array> {
    this.#isCollecting = true;
    if (this.#source.stream.isPaused()) this.#source.stream.resume();
    if (!this.#isSettled) await this.#changed();
    if (this.#failure !== undefined) throw this.#failure.reason;
    const [first] = this.#chunks;
    return this.#chunks.length === 1 && first !== undefined ? first : Buffer.concat(this.#chunks);
  }

  [Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    return this;
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    for (;;) {
      const chunk = this.#chunks.shift();
      if (chunk !== undefined) {
        this.#queuedBytes -= chunk.length;
        if (this.#queuedBytes <= HIGH_WATER_BYTES / 2 && this.#source.stream.isPaused()) this.#source.stream.resume();
        return { done: false, value: chunk };
      }
      if (this.#failure !== undefined) throw this.#failure.reason;
      if (this.#isSettled) return { done: true, value: undefined };
      await this.#changed();
    }
  }

  return(): Promise<IteratorResult<Uint8Array, undefined>> {
    this.cancel();
    return Promise.resolve({ done: true, value: undefined });
  }

  /** Discards the rest: the transfer stops without an error. */
  cancel(): void {
    this.#chunks = [];
    if (this.#isSettled) return;
    this.#source.cancel();
    this.#settle();
  }

  #changed(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  readonly #onData = guard(
    'connection to the API server',
    () => this.#source.cancel(),
    (chunk: Uint8Array): void => {
      if (this.#isSettled) return;
      this.#receivedBytes += chunk.length;
      this.#queuedBytes += chunk.length;
      this.#chunks.push(chunk);
      if (this.#isCollecting) return;
      if (this.#queuedBytes > HIGH_WATER_BYTES) this.#source.stream.pause();
      this.#wake?.();
    },
  );

  readonly #onEnd = guard(
    'connection to the API server',
    () => this.#source.cancel(),
    (): void => {
      if (this.#isSettled) return;
      const error = this.#source.incompleteBecause(this.#receivedBytes);
      if (error !== undefined) this.#failure = { reason: error };
      this.#settle();
    },
  );

  #settle(): void {
    this.#isSettled = true;
    this.#source.settled(this.#receivedBytes);
    this.#wake?.();
  }
}
