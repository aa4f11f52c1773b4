import { constants, Http2ServerRequest } from 'node:http2';
import type { HttpRequest } from './http-request.ts';

/** Cancels an HTTP/2 request whose body has not arrived in time. Other requests on its connection are not affected. */
export function cutSlowBody(request: HttpRequest, requestMs: number): void {
  if (!(request instanceof Http2ServerRequest) || request.stream.endAfterHeaders) return;
  const { stream } = request;
  const timer = setTimeout(() => stream.close(constants.NGHTTP2_CANCEL), requestMs);
  timer.unref();
  const done = () => clearTimeout(timer);
  stream.once('end', done);
  stream.once('close', done);
}
