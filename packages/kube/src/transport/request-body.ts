import type { Writable } from 'node:stream';
import type { TransportRequest } from './transport.ts';

/** Writes a request's body and ends the stream; a streamed body waits for the receiver. */
export function writeBody(stream: Writable, body: TransportRequest['body'], onError: (reason: unknown) => void): void {
  if (body === undefined) stream.end();
  else if (typeof body === 'string' || body instanceof Uint8Array) stream.end(body);
  else pump(stream, body).catch(onError);
}

/** Whether the same body can be sent a second time. */
export function isReplayable(body: TransportRequest['body']): boolean {
  return body === undefined || typeof body === 'string' || body instanceof Uint8Array;
}

/** Bytes of a body whose size is known before it is sent; 0 for streamed ones. */
export function knownSize(body: TransportRequest['body']): number {
  if (typeof body === 'string') return Buffer.byteLength(body);
  return body instanceof Uint8Array ? body.length : 0;
}

async function pump(stream: Writable, body: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const chunk of body) {
    if (stream.destroyed || stream.writableEnded) return;
    if (!stream.write(chunk)) await drained(stream);
  }
  stream.end();
}

function drained(stream: Writable): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      stream.off('drain', done);
      stream.off('close', done);
      resolve();
    };
    stream.on('drain', done);
    stream.on('close', done);
  });
}
