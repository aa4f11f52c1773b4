import { Readable, Writable } from 'node:stream';
import type { ChannelSocket } from './channel-socket.ts';

/** The reading end of a channel: what arrives faster than it is read pauses the whole socket. */
export class ChannelReader extends Readable {
  readonly #socket: () => ChannelSocket | undefined;
  #isHolding = false;

  constructor(socket: () => ChannelSocket | undefined) {
    super();
    this.#socket = socket;
  }

  /** Hands over a message's bytes. */
  arrived(payload: Buffer): void {
    if (this.destroyed || this.readableEnded || payload.length === 0) return;
    if (!this.push(payload) && !this.#isHolding) {
      this.#isHolding = true;
      this.#socket()?.pause();
    }
  }

  /** Nothing more comes. */
  ended(): void {
    if (!this.destroyed && !this.readableEnded) this.push(null);
  }

  override _read(): void {
    this.#release();
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#release();
    callback(error);
  }

  #release(): void {
    if (!this.#isHolding) return;
    this.#isHolding = false;
    this.#socket()?.resume();
  }
}

/** The writing end of a channel; `onEnd` sends the end of the stream, if the protocol supports that. */
export function channelWriter(socket: () => ChannelSocket, channel: number, onEnd: () => void): Writable {
  return new Writable({
    write(chunk: Uint8Array, _encoding, callback) {
      socket().send(channel, chunk, (error) => callback(error));
    },
    final(callback) {
      onEnd();
      callback();
    },
  });
}
