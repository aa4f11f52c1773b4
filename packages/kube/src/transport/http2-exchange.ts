import { guard as guardCallback } from '@manta/base';
import { type ClientHttp2Stream, constants, type OutgoingHttpHeaders } from 'node:http2';
import { AttemptError } from './attempt-error.ts';
import type { Call } from './call.ts';
import { contentLengthOf, type ExchangeResponse, plainHeaders } from './exchange.ts';
import { explainConnectFailure } from './explain-connect-failure.ts';
import type { Http2Session } from './http2-session.ts';
import { writeBody } from './request-body.ts';
import { StreamBody } from './stream-body.ts';

/** Sends one request on a session that kept room for it; resolves when the answer's headers are there. */
export function exchangeOverHttp2(
  session: Http2Session,
  headers: OutgoingHttpHeaders,
  call: Call,
): Promise<ExchangeResponse> {
  const { request, guard } = call;
  return new Promise((resolve, reject) => {
    const hasBody = request.body !== undefined;
    const stream = session.request(headers, !hasBody);
    let body: StreamBody | undefined;
    let failure: Error | undefined;
    const stop = (reason: unknown) => {
      if (body === undefined) session.suspect();
      body?.fail(reason);
      cancel(stream);
      reject(reason);
    };
    stream.on(
      'response',
      guardCallback('connection to the API server', reject, (received) => {
        const plain = plainHeaders(received);
        body = bodyOf(session, stream, call, plain, () => failure);
        resolve({ status: received[':status'] ?? 0, headers: plain, body });
      }),
    );
    stream.on('error', (error: Error) => {
      failure = error;
    });
    stream.on(
      'close',
      guardCallback('connection to the API server', stream, () => {
        if (body === undefined) reject(lost(session, stream, call, failure));
      }),
    );
    guard.whenStopped(stop);
    if (hasBody) writeBody(stream, request.body, stop);
  });
}

function bodyOf(
  session: Http2Session,
  stream: ClientHttp2Stream,
  call: Call,
  headers: Readonly<Record<string, string>>,
  failure: () => Error | undefined,
): StreamBody {
  const announced = contentLengthOf(headers);
  return new StreamBody({
    stream,
    incompleteBecause: (received) => {
      // Node ends the readable side even after a reset or a broken connection; only the code shows the difference.
      const isComplete = stream.rstCode === constants.NGHTTP2_NO_ERROR && failure() === undefined;
      if (isComplete && (announced === undefined || announced === received)) return undefined;
      return lost(session, stream, call, failure(), received);
    },
    cancel: () => cancel(stream),
    settled: (received) => call.bodySettled(received),
  });
}

function cancel(stream: ClientHttp2Stream): void {
  if (stream.destroyed) return;
  stream.close(constants.NGHTTP2_CANCEL);
  stream.resume();
}

function lost(
  session: Http2Session,
  stream: ClientHttp2Stream,
  { name, host }: Call,
  failure: Error | undefined,
  received?: number,
): AttemptError {
  const cause = session.failure ?? failure;
  if (received === undefined && session.neverProcessed(stream)) {
    return new AttemptError(`${host} did not take the request ${name.method} ${name.path}`, 'now', {
      cause,
      call: name,
    });
  }
  if (isCertificateAlert(cause)) {
    const server = new URL(`https://${host}`);
    return new AttemptError(explainConnectFailure(cause, server), 'never', { cause, call: name, wasNeverSent: true });
  }
  const why = cause?.message ?? 'the connection was closed';
  const what = received === undefined ? 'before it answered' : `in the middle of its answer (after ${received} bytes)`;
  return new AttemptError(`${host} broke off ${what} to ${name.method} ${name.path}: ${why}`, 'if-idempotent', {
    cause,
    call: name,
  });
}

/** With TLS 1.3 a server refuses our certificate only after we believe to be connected. */
function isCertificateAlert(error: Error | undefined): boolean {
  return error !== undefined && 'code' in error && /ALERT_.*(CERTIFICATE|UNKNOWN_CA)/.test(String(error.code));
}
