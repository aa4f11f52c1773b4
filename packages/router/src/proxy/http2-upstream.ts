import { guard, messageOf } from '@manta/base';
import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants } from 'node:http2';
import type { Duplex, Writable } from 'node:stream';
import type { Clock } from '@manta/kube';
import type { Attempt, AttemptLimits, Outgoing, RawHeaders } from './call.ts';
import type { Dial } from './dial.ts';
import { fromFields, removeHeader, toFields } from './headers.ts';
import { KEEP_ALIVE_MS } from './keep-alive.ts';

/** The connection to one endpoint that speaks HTTP/2 without TLS. */
export interface Http2Upstream {
  /** Sends a request; `report` is called once unless the returned function breaks the attempt off before. */
  send(outgoing: Outgoing, limits: AttemptLimits, report: (attempt: Attempt) => void): () => void;
  /** Ends the connection once its requests have ended. */
  drain(): void;
}

const WINDOW = 1024 * 1024;

export function createHttp2Upstream(host: string, port: number, clock: Clock, dial?: Dial): Http2Upstream {
  const authority = `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
  let session: ClientHttp2Session | undefined;
  let dialing: Promise<ClientHttp2Session> | undefined;
  const open = (connection?: Duplex) => {
    if (connection !== undefined) connection.allowHalfOpen = false;
    const opened = connect(authority, {
      settings: { initialWindowSize: WINDOW, enablePush: false },
      ...(connection === undefined ? {} : { createConnection: () => connection }),
    });
    // Every request that waits for the connection listens.
    opened.setMaxListeners(0);
    const forget = () => {
      if (session === opened) session = undefined;
    };
    opened.on('error', forget);
    opened.once('goaway', forget);
    opened.once('close', forget);
    opened.once(
      'connect',
      guard('router', opened, (_session, socket) => {
        opened.setLocalWindowSize(8 * WINDOW);
        socket.setKeepAlive?.(true, KEEP_ALIVE_MS);
      }),
    );
    return opened;
  };
  /** One connection for all that wait for it. */
  const dialed = async (way: Dial): Promise<ClientHttp2Session> => {
    try {
      session = open(await way(host, port));
      return session;
    } finally {
      dialing = undefined;
    }
  };
  return {
    send(outgoing, limits, report) {
      if (session === undefined || session.closed || session.destroyed) {
        if (dial !== undefined) {
          dialing ??= dialed(dial);
          return sendLater(dialing, outgoing, limits, clock, report);
        }
        session = open();
      }
      return new Http2Attempt(session, outgoing, limits, clock, report).cancel;
    },
    drain() {
      dialing?.then(closeSoon, () => undefined);
      if (session !== undefined) closeSoon(session);
      session = undefined;
    },
  };
}

/** Lets requests that were just created be sent first, so that a GOAWAY does not lose them. */
function closeSoon(session: ClientHttp2Session): void {
  setImmediate(() => session.close());
}

/** Sends a request once there is a connection, unless that takes too long. */
function sendLater(
  opening: Promise<ClientHttp2Session>,
  outgoing: Outgoing,
  limits: AttemptLimits,
  clock: Clock,
  report: (attempt: Attempt) => void,
): () => void {
  let isOver = false;
  let cancel = () => undefined as void;
  const fail = (why: string) => {
    if (isOver) return;
    isOver = true;
    report({ kind: 'unreached', why });
  };
  const { connectMs } = limits;
  const stopTimer = clock.setTimer(connectMs, () => fail(`no connection within ${connectMs} ms`));
  const begin = async () => {
    const session = await opening;
    if (!isOver) cancel = new Http2Attempt(session, outgoing, limits, clock, report).cancel;
  };
  begin()
    .catch((error: unknown) => fail(messageOf(error)))
    .finally(stopTimer);
  return () => {
    isOver = true;
    stopTimer();
    cancel();
  };
}

/** One request until its answer begins. Nothing is read of the body before there is a connection, so that it can go elsewhere. */
class Http2Attempt {
  readonly #session: ClientHttp2Session;
  readonly #outgoing: Outgoing;
  readonly #limits: AttemptLimits;
  readonly #clock: Clock;
  #report: ((attempt: Attempt) => void) | undefined;
  readonly #abort = new AbortController();
  #stream: ClientHttp2Stream | undefined;
  #cancelTimer: (() => void) | undefined;
  readonly #onConnect = guard(
    'router',
    () => this.#session.destroy(),
    () => this.#send(),
  );
  readonly #onFailure = guard('router', undefined, (error?: Error) =>
    this.#settle({ kind: 'unreached', why: error?.message ?? 'the connection was closed' }),
  );

  constructor(
    session: ClientHttp2Session,
    outgoing: Outgoing,
    limits: AttemptLimits,
    clock: Clock,
    report: (attempt: Attempt) => void,
  ) {
    this.#session = session;
    this.#outgoing = outgoing;
    this.#limits = limits;
    this.#clock = clock;
    this.#report = report;
    if (!session.connecting) {
      this.#send();
      return;
    }
    session.once('connect', this.#onConnect);
    session.once('error', this.#onFailure);
    session.once('close', this.#onFailure);
    const { connectMs } = limits;
    this.#cancelTimer = clock.setTimer(connectMs, () => {
      session.destroy(new Error(`no connection within ${connectMs} ms`));
    });
  }

  readonly cancel = (): void => {
    this.#report = undefined;
    this.#forgetSession();
    if (this.#stream === undefined) return;
    this.#outgoing.body.unpipe(this.#stream);
    // Not close(), which says first that the body were whole.
    this.#abort.abort();
  };

  #send(): void {
    this.#forgetSession();
    if (this.#report === undefined) return;
    const { body, hasBody } = this.#outgoing;
    let stream: ClientHttp2Stream;
    try {
      stream = this.#session.request(fieldsOf(this.#outgoing), { endStream: !hasBody, signal: this.#abort.signal });
    } catch (error) {
      this.#settle({ kind: 'unreached', why: messageOf(error) });
      return;
    }
    this.#stream = stream;
    this.#listen(stream);
    const { answerMs } = this.#limits;
    if (answerMs !== undefined) {
      this.#cancelTimer = this.#clock.setTimer(answerMs, () => {
        this.#settle({ kind: 'late' });
        this.cancel();
      });
    }
    if (hasBody) body.pipe(stream);
  }

  #listen(stream: ClientHttp2Stream): void {
    let trailers: RawHeaders = [];
    stream.once(
      'trailers',
      guard('router', stream, (fields) => {
        trailers = fromFields(fields);
      }),
    );
    stream.once(
      'response',
      guard('router', stream, (fields, flags) => {
        this.#settle({
          kind: 'reply',
          reply: {
            status: fields[':status'] ?? 502,
            headers: fromFields(fields),
            isComplete: (flags & constants.NGHTTP2_FLAG_END_STREAM) !== 0,
            copyTo: (sink, done) => copyStream(stream, sink, done),
            trailers: () => trailers,
          },
        });
      }),
    );
    const broken = (why: string) => {
      // REFUSED_STREAM guarantees that the endpoint has not processed the request.
      const isRefused = stream.rstCode === constants.NGHTTP2_REFUSED_STREAM;
      this.#settle(isRefused ? { kind: 'unreached', why } : { kind: 'broken', why, wasReused: true });
    };
    stream.on(
      'error',
      guard('router', stream, ({ message }) => broken(message)),
    );
    stream.once(
      'close',
      guard('router', stream, () => broken('the connection was closed')),
    );
  }

  #forgetSession(): void {
    this.#cancelTimer?.();
    this.#session.off('connect', this.#onConnect);
    this.#session.off('error', this.#onFailure);
    this.#session.off('close', this.#onFailure);
  }

  #settle(attempt: Attempt): void {
    this.#forgetSession();
    const report = this.#report;
    this.#report = undefined;
    report?.(attempt);
  }
}

function copyStream(stream: ClientHttp2Stream, sink: Writable | undefined, done: (isWhole: boolean) => void): void {
  let isEnded = false;
  stream.once(
    'end',
    guard('router', stream, () => {
      isEnded = true;
      done(true);
    }),
  );
  stream.once(
    'close',
    guard('router', stream, () => {
      if (!isEnded) done(false);
    }),
  );
  if (sink === undefined) stream.resume();
  else stream.pipe(sink, { end: false });
}

function fieldsOf({ method, target, host, headers }: Outgoing): Record<string, string | string[]> {
  const rest = [...headers];
  removeHeader(rest, 'host');
  // The only TE value that HTTP/2 allows; gRPC servers require it.
  const te = headers.some((value, i) => i % 2 === 1 && value.startsWith('application/grpc')) ? ['te', 'trailers'] : [];
  return { ':method': method, ':path': target, ':scheme': 'http', ':authority': host, ...toFields([...rest, ...te]) };
}
