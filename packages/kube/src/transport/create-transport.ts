import { X509Certificate } from 'node:crypto';
import type { OutgoingHttpHeaders } from 'node:http2';
import type { Socket } from 'node:net';
import { messageOf } from '@manta/base';
import { TransportError } from '../api-error.ts';
import type { Clock } from '../clock.ts';
import type { Connection, Credentials } from './connection.ts';
import type { RequestObserver, Transport, TransportRequest, TransportResponse } from './transport.ts';
import { AttemptError } from './attempt-error.ts';
import { Call } from './call.ts';
import type { ExchangeResponse } from './exchange.ts';
import { Http1Pool } from './http1-pool.ts';
import { exchangeOverHttp2 } from './http2-exchange.ts';
import { Http2Pool } from './http2-pool.ts';
import type { SocketOptions } from './open-socket.ts';
import { RetryState } from './retry.ts';

export interface TransportOptions {
  readonly connection: Connection;
  readonly clock: Clock;
  readonly userAgent?: string;
  readonly observer?: RequestObserver;
  /** Quiet time after which the server is pinged; 30 s. */
  readonly readIdleMs?: number;
  /** How long a pong may take before the connection is given up; 15 s. */
  readonly pingTimeoutMs?: number;
  /** For name lookup, TCP, proxy and TLS together; 10 s. */
  readonly connectTimeoutMs?: number;
  /** HTTP/2 sessions at most; 4. */
  readonly maxSessions?: number;
}

/** HTTP/2 where the server has it, HTTP/1.1 where not. Nothing is connected before the first request. */
export function createTransport(options: TransportOptions): Transport {
  return new KubeTransport(options);
}

class KubeTransport implements Transport {
  readonly #connection: Connection;
  readonly #clock: Clock;
  readonly #observer: RequestObserver | undefined;
  readonly #host: string;
  readonly #pathPrefix: string;
  readonly #userAgent: string;
  readonly #socketOptions: SocketOptions;
  readonly #http2: Http2Pool;
  #http1: Http1Pool | undefined;
  readonly #closing = new AbortController();
  #closedBecause: TransportError | undefined;
  #lastCredentials: Credentials | undefined;
  #baseHeaders: OutgoingHttpHeaders = {};

  constructor(options: TransportOptions) {
    const { connection, clock } = options;
    this.#connection = connection;
    this.#clock = clock;
    this.#host = connection.server.host;
    this.#pathPrefix = connection.server.pathname.replace(/\/+$/, '');
    this.#userAgent = options.userAgent ?? 'manta';
    const { observer, connectTimeoutMs = 10_000 } = options;
    this.#observer = observer;
    this.#socketOptions = { connection, clock, connectTimeoutMs, observer, closing: this.#closing.signal };
    this.#http2 = new Http2Pool({
      ...this.#socketOptions,
      readIdleMs: options.readIdleMs ?? 30_000,
      pingTimeoutMs: options.pingTimeoutMs ?? 15_000,
      maxSessions: options.maxSessions ?? 4,
      onHttp1: (socket) => this.#useHttp1(socket),
    });
    if (connection.server.protocol !== 'https:') this.#useHttp1();
  }

  async send(request: TransportRequest): Promise<TransportResponse> {
    if (this.#closedBecause !== undefined) throw this.#closedBecause;
    const call = new Call(request, `${this.#pathPrefix}${request.path}`, this.#host, this.#clock, this.#observer);
    try {
      const response = await this.#sendUntilAnswered(call);
      call.answered(response.status);
      return response;
    } catch (error) {
      call.failed();
      throw error;
    }
  }

  close(): Promise<void> {
    this.#closedBecause ??= new TransportError(`The connection to ${this.#host} was closed by us`);
    this.#http2.close(this.#closedBecause);
    this.#http1?.close();
    this.#closing.abort(this.#closedBecause);
    return Promise.resolve();
  }

  explainUnauthorized(): string | undefined {
    const cert = this.#lastCredentials?.cert;
    if (cert === undefined) return undefined;
    const until = new X509Certificate(cert).validToDate;
    if (until.getTime() > this.#clock.now()) return undefined;
    return `our client certificate expired at ${until.toISOString()}: renew client-certificate in the kubeconfig`;
  }

  async #sendUntilAnswered(call: Call): Promise<TransportResponse> {
    const retries = new RetryState(call.request);
    for (;;) {
      let delayMs: number | undefined;
      let code: string;
      try {
        const response = await this.#attempt(call);
        if (response.status < 400) return response;
        delayMs = this.#delayAfterAnswer(response, retries, call);
        if (delayMs === undefined || !call.guard.allows(delayMs)) return response;
        // Reading the rest of a refusal keeps an HTTP/1.1 connection usable.
        await response.body.collect();
        code = String(response.status);
      } catch (error) {
        if (this.#closedBecause !== undefined) throw this.#closedBecause;
        delayMs = retries.delayAfterFailure(error);
        if (delayMs === undefined || !call.guard.allows(delayMs)) throw error;
        code = '<error>';
      }
      if (delayMs > 0) await call.guard.sleep(delayMs);
      call.retrying(code);
    }
  }

  #delayAfterAnswer(response: ExchangeResponse, retries: RetryState, call: Call): number | undefined {
    if (!retries.shouldAuthenticateAgain(response)) return retries.delayAfterAnswer(response, this.#clock.now());
    this.#connection.invalidateCredentials(call.credentials);
    return 0;
  }

  async #attempt(call: Call): Promise<ExchangeResponse> {
    call.attemptStarts();
    const offered = this.#connection.credentials();
    const credentials = offered instanceof Promise ? await this.#await(offered, call) : offered;
    call.credentials = credentials;
    if (this.#http1 === undefined) {
      const acquired = this.#http2.acquire(credentials, call.guard);
      const session = acquired instanceof Promise ? await acquired : acquired;
      if (session !== undefined) return await exchangeOverHttp2(session, this.#headersFor(call, credentials), call);
    }
    this.#http1 ??= new Http1Pool(this.#socketOptions);
    return await this.#http1.exchange(this.#headersFor(call, credentials), credentials, call);
  }

  async #await(credentials: Promise<Credentials>, call: Call): Promise<Credentials> {
    try {
      return await call.guard.race(credentials);
    } catch (error) {
      if (error instanceof TransportError || call.guard.isStopped) throw error;
      const message = messageOf(error);
      throw new AttemptError(message, 'never', { cause: error, call: call.name, wasNeverSent: true });
    }
  }

  #headersFor(call: Call, credentials: Credentials): OutgoingHttpHeaders {
    if (this.#lastCredentials !== credentials) {
      const authority = this.#http1 === undefined ? ':authority' : 'host';
      this.#lastCredentials = credentials;
      this.#baseHeaders = addHeaders({ [authority]: this.#host, 'user-agent': this.#userAgent }, credentials.headers);
    }
    if (this.#http1 !== undefined) return addHeaders({ ...this.#baseHeaders }, call.request.headers);
    const { method, path } = call.name;
    return addHeaders({ ':method': method, ':path': path, ...this.#baseHeaders }, call.request.headers);
  }

  #useHttp1(spare?: Socket): void {
    this.#lastCredentials = undefined;
    this.#http1 ??= new Http1Pool(this.#socketOptions, spare);
  }
}

function addHeaders(target: OutgoingHttpHeaders, headers: TransportRequest['headers']): OutgoingHttpHeaders {
  for (const name in headers) {
    const value = headers[name];
    target[name] = typeof value === 'object' ? [...value] : value;
  }
  return target;
}
