import { API_CLIENT_LIMITS, guard } from '@manta/base';
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  type OutgoingHttpHeaders,
} from 'node:http2';
import type { Socket } from 'node:net';
import type { Clock } from '../clock.ts';
import type { Credentials } from './connection.ts';
import { hasLostPeer } from './lost-peer.ts';

export interface SessionOptions {
  readonly clock: Clock;
  /** `https://host:port`. */
  readonly origin: string;
  readonly credentials: Credentials;
  /** After this long without a byte from the server it is pinged … */
  readonly readIdleMs: number;
  /** … and given up when the pong takes longer than this. */
  readonly pingTimeoutMs: number;
  /** Called when another request may fit, or when the session has ended. */
  onChange(session: Http2Session): void;
}

const WINDOW_BYTES = 1024 * 1024;
/** What a server allows until it says otherwise (RFC 9113 recommends no less). */
const DEFAULT_MAX_STREAMS = 100;
/** How often we look whether the connection was lost without notice; costs about a microsecond. */
const CHECK_MS = 1000;
/** Node refuses streams above this; 250 full windows must fit. */
const MAX_SESSION_MEMORY_MB = API_CLIENT_LIMITS.sessionMib;

/** One HTTP/2 session: counts its streams, notices GOAWAY, and finds out when the other end is no longer there. */
export class Http2Session {
  readonly credentials: Credentials;
  readonly #options: SessionOptions;
  readonly #session: ClientHttp2Session;
  readonly #socket: Socket;
  readonly #tcp: Socket;
  #openStreams = 0;
  #maxStreams = DEFAULT_MAX_STREAMS;
  #isDraining = false;
  #isGone = false;
  #failure: Error | undefined;
  #lastStreamId = Number.POSITIVE_INFINITY;
  readonly #tickMs: number;
  #seenBytes = 0;
  #idleMs = 0;
  #cancelTick: () => void;
  #cancelPongTimer: (() => void) | undefined;

  constructor(socket: Socket, tcp: Socket, options: SessionOptions) {
    this.credentials = options.credentials;
    this.#options = options;
    this.#socket = socket;
    this.#tcp = tcp;
    this.#session = connect(options.origin, {
      createConnection: () => socket,
      settings: { enablePush: false, initialWindowSize: WINDOW_BYTES },
      maxSessionMemory: MAX_SESSION_MEMORY_MB,
    });
    this.#session.on(
      'connect',
      guard('connection to the API server', this.#session, () => {
        if (!this.#session.destroyed) this.#session.setLocalWindowSize(WINDOW_BYTES);
      }),
    );
    this.#session.on(
      'remoteSettings',
      guard('connection to the API server', this.#session, (settings) => {
        this.#maxStreams = settings.maxConcurrentStreams ?? Number.POSITIVE_INFINITY;
        options.onChange(this);
      }),
    );
    this.#session.on('goaway', this.#onGoaway);
    this.#session.on('error', (error: Error) => {
      this.#failure ??= error;
    });
    this.#session.on('close', this.#onClose);
    this.#tickMs = Math.min(CHECK_MS, options.readIdleMs / 2);
    this.#cancelTick = options.clock.setTimer(this.#tickMs, this.#onTick);
  }

  get isGone(): boolean {
    return this.#isGone;
  }

  /** No new requests; those under way go on. */
  get isDraining(): boolean {
    return this.#isDraining || this.#session.closed || this.#session.destroyed;
  }

  get hasRoom(): boolean {
    return !this.isDraining && this.#openStreams < this.#maxStreams;
  }

  /** Why the session ended, where an error ended it. */
  get failure(): Error | undefined {
    return this.#failure;
  }

  /** Keeps room for one request; a call of `request` must follow. */
  reserve(): void {
    this.#openStreams++;
  }

  request(headers: OutgoingHttpHeaders, endStream: boolean): ClientHttp2Stream {
    try {
      const stream = this.#session.request(headers, { endStream });
      stream.once('close', this.#onStreamClosed);
      return stream;
    } catch (error) {
      this.#onStreamClosed();
      throw error;
    }
  }

  /** Whether the server certainly did not act on this (failed) stream. */
  neverProcessed(stream: ClientHttp2Stream): boolean {
    if (stream.id === undefined || stream.rstCode === constants.NGHTTP2_REFUSED_STREAM) return true;
    return stream.id > this.#lastStreamId;
  }

  /** Takes no more requests and closes once the last one under way has ended. */
  drain(): void {
    if (this.#isDraining) return;
    this.#isDraining = true;
    this.#session.close();
  }

  destroy(reason: Error): void {
    if (this.#isGone) return;
    this.#failure ??= reason;
    this.#isDraining = true;
    this.#session.destroy(reason, constants.NGHTTP2_CANCEL);
    // The session would wait until its last bytes are sent, which never happens on a half-open connection.
    this.#socket.destroy();
  }

  /** Something took too long: ask right away whether the server is still there. */
  suspect(): void {
    if (this.#cancelPongTimer === undefined && !this.#session.destroyed) this.#ping();
  }

  readonly #onStreamClosed = guard('connection to the API server', undefined, (): void => {
    this.#openStreams--;
    this.#options.onChange(this);
  });

  readonly #onGoaway = guard(
    'connection to the API server',
    () => this.#session.destroy(),
    (_code: number, lastStreamId: number): void => {
      this.#isDraining = true;
      this.#lastStreamId = lastStreamId;
      this.#options.onChange(this);
    },
  );

  readonly #onClose = guard('connection to the API server', undefined, (): void => {
    this.#isGone = true;
    this.#isDraining = true;
    this.#cancelTick();
    this.#cancelPongTimer?.();
    this.#options.onChange(this);
  });

  readonly #onTick = (): void => {
    if (this.#isGone) return;
    if (hasLostPeer(this.#tcp)) {
      this.destroy(new Error('the connection was reset'));
      return;
    }
    this.#cancelTick = this.#options.clock.setTimer(this.#tickMs, this.#onTick);
    const bytes = this.#socket.bytesRead;
    if (bytes !== this.#seenBytes) {
      this.#seenBytes = bytes;
      this.#idleMs = 0;
      return;
    }
    this.#idleMs += this.#tickMs;
    if (this.#idleMs >= this.#options.readIdleMs) this.suspect();
  };

  #ping(): void {
    const { clock, pingTimeoutMs } = this.#options;
    this.#cancelPongTimer = clock.setTimer(pingTimeoutMs, () => {
      this.destroy(new Error(`no answer to a ping within ${pingTimeoutMs / 1000} s`));
    });
    this.#session.ping((error) => {
      if (error !== null) return;
      this.#cancelPongTimer?.();
      this.#cancelPongTimer = undefined;
      this.#idleMs = 0;
    });
  }
}
