import { guard } from '@manta/base';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { constants, type ServerHttp2Stream } from 'node:http2';

/** How many bodies are on their way on a connection: pipelined requests share one timeout. */
const arriving = new WeakMap<Socket, number>();

function cut(this: Socket): void {
  this.destroy();
}

/** Cuts the connection of a request whose body stops coming; what comes after it may take its time. */
export function cutStalled(request: IncomingMessage, response: ServerResponse, stallMs: number): void {
  if (request.complete || !hasBody(request)) return;
  const { socket } = request;
  const others = arriving.get(socket) ?? 0;
  arriving.set(socket, others + 1);
  if (others === 0) socket.on('timeout', cut);
  socket.setTimeout(stallMs);
  request.once(
    'close',
    guard('router', request, () => {
      const left = (arriving.get(socket) ?? 1) - 1;
      arriving.set(socket, left);
      if (left > 0) return;
      socket.off('timeout', cut);
      // Once it is answered, the connection has the timeout of an idle one.
      if (!response.writableFinished) socket.setTimeout(0);
    }),
  );
}

/** The same for a request over HTTP/2: others on its connection go on. */
export function cutStalledStream(stream: ServerHttp2Stream, stallMs: number): void {
  if (stream.endAfterHeaders) return;
  stream.setTimeout(stallMs, () => stream.close(constants.NGHTTP2_CANCEL));
  stream.once(
    'end',
    guard('router', stream, () => stream.setTimeout(0)),
  );
}

/** Resets a stream whose client does not read. A client that does not take the reset either reads nothing at all: its connection is cut. */
export function cutStream(stream: ServerHttp2Stream, attempt: number): void {
  if (attempt === 1) stream.close(constants.NGHTTP2_CANCEL);
  else stream.session?.destroy();
}

function hasBody({ headers }: IncomingMessage): boolean {
  return (headers['content-length'] ?? '0') !== '0' || headers['transfer-encoding'] !== undefined;
}
