import { guard } from '@manta/base';
import type { Duplex } from 'node:stream';
import { type ResponseListener, ResponseParser } from './http1-response.ts';

/** What one request makes of a connection until its answer has ended. */
export interface Exchange extends ResponseListener {
  /** The connection has ended; no more events follow. */
  lost(why: string): void;
}

/** Notified when a connection can take the next request, and when it has ended. */
export interface ConnectionKeeper {
  idle(connection: Http1Connection): void;
  gone(connection: Http1Connection): void;
}

/** One connection to an endpoint: one request at a time. */
export class Http1Connection {
  readonly stream: Duplex;
  readonly #keeper: ConnectionKeeper;
  readonly #parser = new ResponseParser();
  #exchange: Exchange | undefined;
  #isRequestSent = true;
  #why = 'the connection was closed';
  /** When it was put aside, in the keeper's time. */
  idleSince = 0;

  constructor(stream: Duplex, keeper: ConnectionKeeper) {
    this.stream = stream;
    this.#keeper = keeper;
    stream.on(
      'data',
      guard('router', stream, (bytes: Buffer) => this.#read(bytes)),
    );
    stream.on('error', ({ message }) => {
      this.#why = message;
    });
    stream.once(
      'end',
      guard('router', stream, () => this.#ended()),
    );
    stream.once(
      'close',
      guard('router', stream, () => this.#closed()),
    );
  }

  /** Sends the header of a request; `exchange` receives the response. */
  begin(method: string, head: string, exchange: Exchange, hasBody: boolean): void {
    this.#exchange = exchange;
    this.#isRequestSent = !hasBody;
    this.#parser.begin(method, exchange);
    this.stream.write(head, 'latin1');
  }

  /** The whole body has been sent. */
  requestSent(): void {
    this.#isRequestSent = true;
  }

  /** Aborts the current request without notification. */
  destroy(): void {
    this.#exchange = undefined;
    this.stream.destroy();
  }

  #read(bytes: Buffer): void {
    const problem = this.#parser.read(bytes);
    if (problem !== undefined) this.#lose(problem);
    else if (this.#exchange !== undefined && this.#parser.isDone) this.#release();
  }

  /** The answer has come to its end. One that came before the whole request was sent leaves the connection of no use. */
  #release(): void {
    this.#exchange = undefined;
    if (this.#isRequestSent && this.#parser.isReusable) this.#keeper.idle(this);
    else this.stream.destroy();
  }

  #ended(): void {
    if (this.#parser.close()) this.#exchange = undefined;
    this.#lose(this.#why);
  }

  #closed(): void {
    this.#keeper.gone(this);
    this.#lose(this.#why);
  }

  #lose(why: string): void {
    const exchange = this.#exchange;
    this.#exchange = undefined;
    this.stream.destroy();
    exchange?.lost(why);
  }
}
