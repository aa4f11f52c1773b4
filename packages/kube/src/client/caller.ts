import type { CallOptions } from './client.ts';
import { type Clock, sleep } from '../clock.ts';
import { type RateLimit, TokenBucket } from './rate-limit.ts';
import {
  collectBody,
  type RequestObserver,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from '../transport/transport.ts';
import { AttemptError } from '../transport/attempt-error.ts';
import { parseUnmanaged } from '../bytes/unmanaged.ts';
import { readObject, statusText } from '../wire/envelope.ts';
import type { Shape } from '../wire/shape.ts';
import { decodeError, wrongContent } from './decode-error.ts';
import { isProtobuf } from './media-types.ts';
import { UnderWay, type UnderWayLimit } from './under-way.ts';
import { warningTexts } from './warnings.ts';

export interface CallerOptions {
  readonly transport: Transport;
  readonly clock: Clock;
  /** Applies to each kind separately; absent: no limit. */
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
  /** What is wanted of an answer in protobuf. */
  readonly shape?: Shape | undefined;
}

const DEFAULT_TIMEOUT_MS = 30_000;
/** A read whose body broke off is started over this often. */
const BODY_RETRIES = 1;
const BROKEN_OFF = Symbol('an answer that broke off, to a question that may be asked again');

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
    for (let retries = 0; ; retries++) {
      if (this.#options.rateLimit !== undefined) await this.#waitForTurn(ask, this.#options.rateLimit, options);
      const arrived = await (options?.isUrgent === true
        ? undefined
        : this.#underWay?.enter(options?.signal, options?.isBulk));
      try {
        const response = await this.#send(ask, options, 'unary', options?.timeoutMs ?? DEFAULT_TIMEOUT_MS);
        const answer = await this.#read<T>(ask, response, retries < BODY_RETRIES);
        if (answer !== BROKEN_OFF) return answer;
      } finally {
        arrived?.();
      }
    }
  }

  async #read<T>(ask: Ask, response: TransportResponse, mayRetry: boolean): Promise<T | typeof BROKEN_OFF> {
    try {
      return this.#decode(ask, response, await collect(response));
    } catch (error) {
      const isBrokenOff = error instanceof AttemptError && error.retry === 'if-idempotent';
      if (isBrokenOff && ask.method === 'GET' && mayRetry) return BROKEN_OFF;
      throw error;
    }
  }

  /** Sends and hands out the answer while it arrives; refusals are read whole and thrown. */
  async stream(ask: Ask, options: CallOptions | undefined): Promise<TransportResponse> {
    if (this.#options.rateLimit !== undefined) await this.#waitForTurn(ask, this.#options.rateLimit, options);
    const response = await this.#send(ask, options, 'stream', options?.timeoutMs);
    if (response.status >= 400) this.#refuse(ask, response, await collect(response));
    return response;
  }

  async #send(
    { method, path, headers, body }: Ask,
    options: CallOptions | undefined,
    kind: 'unary' | 'stream',
    timeoutMs: number | undefined,
  ): Promise<TransportResponse> {
    const response = await this.#options.transport.send({
      method,
      path,
      headers,
      ...(body === undefined ? undefined : { body }),
      signal: options?.signal,
      timeoutMs,
      kind,
      ...(options?.retriesItself === true ? { retriesItself: true } : undefined),
    });
    const warning = response.headers['warning'];
    if (warning !== undefined) this.#warn({ method, path }, warning);
    return response;
  }

  async #waitForTurn(ask: Ask, limit: RateLimit, options: CallOptions | undefined): Promise<void> {
    if (options?.isUrgent === true) return;
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
      await sleep(clock, delayMs, options?.signal);
    } catch (error) {
      bucket.cancel();
      throw error;
    }
  }

  #decode(ask: Ask, response: TransportResponse, bytes: Buffer): ReturnType<JSON['parse']> {
    if (response.status >= 400) this.#refuse(ask, response, bytes);
    try {
      if (ask.shape !== undefined && isProtobuf(response.headers)) return readObject(bytes, ask.shape);
      const text = bytes.toString('utf8');
      return ask.method === 'GET' ? JSON.parse(text) : parseUnmanaged(text);
    } catch {
      const { method, path } = ask;
      const text = isProtobuf(response.headers) ? 'it cannot be read' : bytes.toString('utf8');
      throw wrongContent({ method, path }, response.headers['content-type'], text);
    }
  }

  #refuse(ask: Ask, { status, headers }: TransportResponse, bytes: Buffer): never {
    throw decodeError({
      call: { method: ask.method, path: ask.path },
      code: status,
      headers,
      text: isProtobuf(headers) ? statusText(bytes) : bytes.toString('utf8'),
      explainUnauthorized: status === 401 ? this.#options.transport.explainUnauthorized?.() : undefined,
      now: this.#options.clock.now(),
    });
  }

  #warn({ method, path }: Pick<Ask, 'method' | 'path'>, header: string): void {
    const { onWarning } = this.#options;
    if (onWarning === undefined) return;
    for (const text of warningTexts(header)) onWarning({ text, method, path });
  }
}

async function collect(response: TransportResponse): Promise<Buffer> {
  const bytes = await collectBody(response.body);
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
