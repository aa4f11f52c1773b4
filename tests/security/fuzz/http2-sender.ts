import { type ClientHttp2Session, connect, constants } from 'node:http2';
import type { FuzzRequest } from './requests.ts';

/** Who asks, and whom. */
export interface Credentials {
  readonly url: string;
  readonly ca: string;
  readonly cert?: string;
  readonly key?: string;
}

/**
 * An answer that has begun is left after this time. It may be a watch, which stays open. Or Node's client does not report its end: a stream
 * whose body still waits for room never closes when the server resets it with NO_ERROR behind a whole answer (Node 24.21, also between
 * Node's own client and server).
 */
const PATIENCE_MS = 2_000;
/** A request without any answer after this time counts as unanswered; busy machines take seconds. */
const UNANSWERED_MS = 60_000;

/** Sends requests over one HTTP/2 connection, which is opened again where the server ended it. */
export class Http2Sender {
  readonly #credentials: Credentials;
  #session: ClientHttp2Session | undefined;
  /** Requests that the server neither answered nor reset. */
  unanswered = 0;

  constructor(credentials: Credentials) {
    this.#credentials = credentials;
  }

  /** The status of the answer; 0 where there was none. Streams are left after their first bytes. */
  async send({ method, path, headers, body, isStream }: FuzzRequest): Promise<number> {
    const session = this.#open();
    return new Promise((resolve) => {
      let status = 0;
      const done = () => {
        clearTimeout(timer);
        resolve(status);
      };
      const stream = openStream(session, { ':method': method, ':path': path, ...headers }, body.length === 0);
      if (stream === undefined) return resolve(0);
      const leave = () => {
        if (status === 0) this.unanswered += 1;
        stream.destroy();
        done();
      };
      let timer = setTimeout(leave, UNANSWERED_MS);
      stream.on('response', (answer) => {
        status = answer[':status'] ?? 0;
        clearTimeout(timer);
        timer = setTimeout(leave, PATIENCE_MS);
        if (isStream) setTimeout(() => stream.close(constants.NGHTTP2_CANCEL), 2);
      });
      stream.on('error', () => undefined);
      stream.on('close', done);
      stream.resume();
      if (body.length > 0) stream.end(body);
    });
  }

  #open(): ClientHttp2Session {
    if (this.#session === undefined || this.#session.closed || this.#session.destroyed) {
      const { url, ...tls } = this.#credentials;
      this.#session = connect(url, tls);
      this.#session.on('error', () => undefined);
    }
    return this.#session;
  }

  async close(): Promise<void> {
    const session = this.#session;
    if (session === undefined || session.destroyed) return;
    await new Promise<void>((resolve) => {
      session.once('close', () => resolve());
      session.destroy();
    });
  }
}

function openStream(session: ClientHttp2Session, headers: Readonly<Record<string, string>>, endStream: boolean) {
  try {
    return session.request(headers, { endStream });
  } catch {
    return undefined;
  }
}
