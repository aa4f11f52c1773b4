import { constants, Http2ServerRequest } from 'node:http2';
import { API_SERVER_LIMITS } from '@manta/base';
import type { HttpRequest } from './http-request.ts';

/** How long clients may be slow. */
export interface ServerLimits {
  /** Until the head of a request is there. */
  readonly headersMs: number;
  /** Until the whole request is there; answers, such as those of watches, may take as long as they like. */
  readonly requestMs: number;
  /** How long a connection is kept on which nothing is asked. */
  readonly idleMs: number;
  /** How often clients are looked for that have had their time. */
  readonly checkMs: number;
}

/** The limits of a server that is given no others. */
export const LIMITS: ServerLimits = API_SERVER_LIMITS;

/** The limits of HTTP/1.1, which Node sees to. */
export function http1Limits({ headersMs, requestMs, idleMs, checkMs }: ServerLimits) {
  return {
    headersTimeout: headersMs,
    requestTimeout: requestMs,
    keepAliveTimeout: idleMs,
    connectionsCheckingInterval: checkMs,
  };
}

/** Over HTTP/2 a request whose body is not there in time is given up; others on its connection go on. */
export function cutSlowBody(request: HttpRequest, requestMs: number): void {
  if (!(request instanceof Http2ServerRequest) || request.stream.endAfterHeaders) return;
  const { stream } = request;
  const timer = setTimeout(() => stream.close(constants.NGHTTP2_CANCEL), requestMs);
  timer.unref();
  const done = () => clearTimeout(timer);
  stream.once('end', done);
  stream.once('close', done);
}
