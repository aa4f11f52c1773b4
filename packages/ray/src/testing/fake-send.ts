import type { RayClock } from '../clock.ts';
import type { RayRequest, RayResponse, RaySend } from '../transport.ts';
import type { FakeHead, FakeRequest } from './fake-head.ts';

const CHUNK = 64 * 1024;

/**
 * A transport to fake heads within the process, on whatever clock the test has. `headAt` finds the head for an origin such as
 * `http://x-head-svc.ns.svc.cluster.local:8265`; without one the name does not resolve.
 */
export function fakeSend(clock: RayClock, headAt: (origin: string) => FakeHead | undefined): RaySend {
  return async (request) => {
    const url = new URL(request.url);
    const head = headAt(url.origin);
    if (head === undefined) throw failure('ENOTFOUND', `getaddrinfo ENOTFOUND ${url.hostname}`);
    const seen = seenBy(request, url);
    const mood = head.moodOf(seen);
    if (mood.kind === 'dead') throw failure('ECONNREFUSED', `connect ECONNREFUSED ${url.host}`);
    head.requests.push(seen);
    if (mood.kind === 'hanging') return await forEver(request.signal);
    await delay(clock, head.delayMs, request.signal);
    if (mood.kind === 'wrong') return toResponse(mood.status ?? 200, repeat(mood.bytes, mood.body));
    const answer = head.answer(seen);
    if (mood.kind === 'lost') throw failure('ECONNRESET', 'socket hang up');
    return toResponse(answer.status, repeat(undefined, answer.body));
  };
}

function seenBy(request: RayRequest, url: URL): FakeRequest {
  const { method, headers, body = '' } = request;
  return { method, path: `${url.pathname}${url.search}`, headers, body };
}

function failure(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}

function toResponse(status: number, body: AsyncIterable<Uint8Array>): RayResponse {
  return { status, headers: {}, body };
}

/** A text, or so many spaces, in chunks. */
async function* repeat(bytes: number | undefined, body = ''): AsyncGenerator<Uint8Array> {
  if (bytes === undefined) {
    yield Buffer.from(body);
    return;
  }
  const chunk = Buffer.alloc(CHUNK, ' ');
  for (let left = bytes; left > 0; left -= CHUNK) yield chunk.subarray(0, Math.min(left, CHUNK));
}

function forEver(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
  });
}

async function delay(clock: RayClock, ms: number, signal: AbortSignal): Promise<void> {
  if (ms === 0) return;
  await new Promise<void>((resolve, reject) => {
    const cancel = clock.setTimer(ms, resolve);
    const onAbort = () => {
      cancel();
      reject(signal.reason);
    };
    signal.addEventListener('abort', onAbort, { once: true });
  });
}
