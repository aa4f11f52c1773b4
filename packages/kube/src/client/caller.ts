import type { CallOptions } from '../client.ts';
import { type Clock, sleep } from '../clock.ts';
import { type RateLimit, TokenBucket } from '../rate-limit.ts';
import {
  collectBody,
  type RequestObserver,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from '../transport.ts';
import { AttemptError } from '../transport/attempt-error.ts';
import { decodeError, wrongContent } from './decode-error.ts';
import { UnderWay, type UnderWayLimit } from './under-way.ts';
import { warningTexts } from './warnings.ts';

export interface CallerOptions {
  readonly transport: Transport;
  readonly clock: Clock;
  /** Applies to each kind by itself; absent: no limit. */
  readonly rateLimit?: RateLimit | undefined;
  /** Of requests of all kinds together, lists and watches that stream excepted; absent: no limit. */
  readonly underWay?: UnderWayLimit | undefined;
  readonly observer?: Pick<RequestObserver, 'rateLimited'> | undefined;
  /** For the observer. */
  readonly host?: string | undefined;
  /** What the server has to say about a request that it nevertheless carried out. */
  readonly onWarning?: ((warning: ServerWarning) => void) | undefined;
}

export interface ServerWarning {
  readonly text: string;
  readonly method: string;
  readonly path: string;
}

/** One request to be made; `bucket` names whose rate limit it counts against. */
export interface Ask extends Pick<TransportRequest, 'method' | 'path' | 'body'> {
  readonly headers: NonNullable<TransportRequest['headers']>;
  readonly bucket: string;
}

const DEFAULT_TIMEOUT_MS = 30_000;
/** A read whose body broke off is started over this often. */
const BODY_RETRIES = 1;

/** Turns requests into decoded answers or `ApiError`s; knows rate limits and warnings, knows nothing of kinds. */
export class Caller {
  readonly #options: CallerOptions;
  readonly #buckets = new Map<string, TokenBucket>();
  readonly #underWay: UnderWay | undefined;

  constructor(options: CallerOptions) {
    this.#options = options;
    this.#underWay = options.underWay && new UnderWay(options.clock, options.underWay);
  }

  /** Sends and reads the whole answer. */
  async unary<T>(ask: Ask, options: CallOptions | undefined): Promise<T> {
    if (this.#underWay === undefined || options?.isUrgent === true) return await this.#answered<T>(ask, options);
    const arrived = await this.#underWay.enter(options?.signal);
    try {
      return await this.#answered<T>(ask, options);
    } finally {
      arrived();
    }
  }

  async #answered<T>(ask: Ask, options: CallOptions | undefined): Promise<T> {
    for (let retries = 0; ; retries++) {
      const response = await this.#send(ask, options, 'unary', options?.timeoutMs ?? DEFAULT_TIMEOUT_MS);
      try {
        return this.#decode(ask, response, await collectText(response));
      } catch (error) {
        const isBrokenOff = error instanceof AttemptError && error.retry === 'if-idempotent';
        if (!isBrokenOff || ask.method !== 'GET' || retries >= BODY_RETRIES) throw error;
      }
    }
  }

  /** Sends and hands out the answer while it arrives; refusals are read whole and thrown. */
  async stream(ask: Ask, options: CallOptions | undefined): Promise<TransportResponse> {
    const response = await this.#send(ask, options, 'stream', options?.timeoutMs);
    if (response.status >= 400) this.#refuse(ask, response, await collectText(response));
    return response;
  }

  async #send(
    ask: Ask,
    options: CallOptions | undefined,
    kind: 'unary' | 'stream',
    timeoutMs: number | undefined,
  ): Promise<TransportResponse> {
    const { rateLimit } = this.#options;
    if (rateLimit !== undefined && options?.isUrgent !== true) await this.#waitForTurn(ask, rateLimit, options?.signal);
    const { method, path, headers, body } = ask;
    const response = await this.#options.transport.send({
      method,
      path,
      headers,
      ...(body === undefined ? undefined : { body }),
      signal: options?.signal,
      timeoutMs,
      kind,
    });
    const warning = response.headers['warning'];
    if (warning !== undefined) this.#warn(ask, warning);
    return response;
  }

  async #waitForTurn(ask: Ask, limit: RateLimit, signal: AbortSignal | undefined): Promise<void> {
    const { clock, observer, host = '' } = this.#options;
    let bucket = this.#buckets.get(ask.bucket);
    if (bucket === undefined) {
      bucket = new TokenBucket(clock, limit);
      this.#buckets.set(ask.bucket, bucket);
    }
    const delayMs = bucket.reserve();
    observer?.rateLimited({ method: ask.method, host, delayMs });
    if (delayMs === 0) return;
    try {
      await sleep(clock, delayMs, signal);
    } catch (error) {
      bucket.cancel();
      throw error;
    }
  }

  #decode(ask: Ask, response: TransportResponse, text: string): ReturnType<JSON['parse']> {
    if (response.status >= 400) this.#refuse(ask, response, text);
    try {
      return JSON.parse(text);
    } catch {
      throw wrongContent({ method: ask.method, path: ask.path }, response.headers['content-type'], text);
    }
  }

  #refuse(ask: Ask, { status, headers }: TransportResponse, text: string): never {
    throw decodeError({
      call: { method: ask.method, path: ask.path },
      code: status,
      headers,
      text,
      explainUnauthorized: status === 401 ? this.#options.transport.explainUnauthorized?.() : undefined,
      now: this.#options.clock.now(),
    });
  }

  #warn({ method, path }: Ask, header: string): void {
    const { onWarning } = this.#options;
    if (onWarning === undefined) return;
    for (const text of warningTexts(header)) onWarning({ text, method, path });
  }
}

async function collectText(response: TransportResponse): Promise<string> {
  const bytes = await collectBody(response.body);
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}
