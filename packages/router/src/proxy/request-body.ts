import { guard } from '@manta/base';
import type { Readable } from 'node:stream';
import type { Http1Connection } from './http1-connection.ts';

/** The body of a request on its way to an endpoint, no faster than that takes it. */
export class RequestBody {
  readonly #body: Readable;
  readonly #connection: Http1Connection;
  readonly #isChunked: boolean;

  constructor(body: Readable, connection: Http1Connection, isChunked: boolean) {
    this.#body = body;
    this.#connection = connection;
    this.#isChunked = isChunked;
    body.on('data', this.#onData);
    body.once('end', this.#onEnd);
  }

  /** Sends nothing more and discards further data. */
  stop(): void {
    this.#body.off('data', this.#onData);
    this.#body.off('end', this.#onEnd);
    this.#connection.stream.off('drain', this.#onDrain);
  }

  readonly #onData = guard(
    'router',
    () => this.#body.destroy(),
    (bytes: Buffer): void => {
      const { stream } = this.#connection;
      if (this.#isChunked) {
        stream.cork();
        stream.write(`${bytes.length.toString(16)}\r\n`, 'latin1');
        stream.write(bytes);
        stream.write('\r\n', 'latin1');
        stream.uncork();
      } else stream.write(bytes);
      if (!stream.writableNeedDrain) return;
      this.#body.pause();
      stream.once('drain', this.#onDrain);
    },
  );

  readonly #onDrain = (): void => {
    this.#body.resume();
  };

  readonly #onEnd = guard(
    'router',
    () => this.#body.destroy(),
    (): void => {
      // A stream of HTTP/2 that was reset ends, too.
      if (this.#body.closed || this.#body.destroyed) return;
      if (this.#isChunked) this.#connection.stream.write('0\r\n\r\n', 'latin1');
      this.#connection.requestSent();
    },
  );
}
