import { type IncomingMessage, request as httpRequest } from 'node:http';
import type { Duplex } from 'node:stream';
import { guard, guardConnection } from '@manta/base';
import type { ViewerAccess } from '../identity/viewer.ts';
import type { FoundHead } from './find-head.ts';
import type { HeadDial } from './head-dial.ts';

export interface HeadCall {
  readonly method: 'GET' | 'HEAD' | 'PUT';
  /** Path with query, as it goes onto the wire. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: AsyncIterable<Uint8Array>;
  readonly signal: AbortSignal;
}

export type HeadReply =
  | { readonly kind: 'answer'; readonly answer: IncomingMessage }
  | { readonly kind: 'upgraded'; readonly answer: IncomingMessage; readonly socket: Duplex; readonly first: Buffer };

/** Sends one request to a head over a connection of its own, so that nothing of it can be taken for part of another request. */
export async function callHead(
  dial: HeadDial,
  head: FoundHead,
  viewer: ViewerAccess,
  { method, target, headers, body, signal }: HeadCall,
): Promise<HeadReply> {
  const connection = await dial(head, viewer, signal);
  connection.on('error', () => connection.destroy());
  if (signal.aborted) {
    // Not every way to dial looks at the signal.
    connection.destroy();
    throw signal.reason;
  }
  const destroy = () => connection.destroy();
  signal.addEventListener('abort', destroy, { once: true });
  connection.once(
    'close',
    guard('Ray dashboard', connection, () => signal.removeEventListener('abort', destroy)),
  );
  return await new Promise((resolve, reject) => {
    const request = httpRequest({ method, path: target, headers, createConnection: () => connection });
    request.once('error', (error) => {
      connection.destroy();
      reject(error);
    });
    request.once(
      'response',
      guardConnection('ray dashboard', (answer) => {
        answer.once('close', () => connection.destroy());
        resolve({ kind: 'answer', answer });
      }),
    );
    request.once(
      'upgrade',
      guardConnection('ray dashboard', (answer, socket, first) => resolve({ kind: 'upgraded', answer, socket, first })),
    );
    if (body === undefined) request.end();
    else
      void sendBody(body, request).catch((error: unknown) =>
        request.destroy(error instanceof Error ? error : undefined),
      );
  });
}

async function sendBody(body: AsyncIterable<Uint8Array>, request: ReturnType<typeof httpRequest>): Promise<void> {
  for await (const chunk of body) {
    // The head may have answered, or left, before the end of the body.
    if (request.destroyed) return;
    if (!request.write(chunk)) await drained(request);
  }
  request.end();
}

function drained(request: ReturnType<typeof httpRequest>): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      request.off('drain', done);
      request.off('close', done);
      resolve();
    };
    request.on('drain', done);
    request.on('close', done);
  });
}
