import { STATUS_CODES } from 'node:http';
import { messageOf, RAY_LIMITS } from '@manta/base';
import type { AnswerLedger, ReadingBytes } from './answer-ledger.ts';
import { RayCallError, type RayCallErrorDetails } from './call-error.ts';
import type { RayClock } from './clock.ts';
import { HeadAnswer } from './head-answer.ts';
import { jsonExcess } from './json-size.ts';
import type { RayRequest, RayResponse, RaySend } from './transport.ts';

/** How a call reaches a head. */
export interface CallWorld {
  readonly clock: RayClock;
  readonly send: RaySend;
  /** Shared by all calls of a process; absent: only the bound of each call counts. */
  readonly reading?: ReadingBytes | undefined;
  /** Called with the number of bytes read, also for aborted responses. */
  readonly ledger?: AnswerLedger | undefined;
}

/** One call: what is asked, and the bounds it keeps to. */
export interface Call {
  /** What the message of an error begins with, e.g. `SubmitJob`. */
  readonly name: string;
  readonly method: RayRequest['method'];
  readonly url: string;
  readonly token?: string | undefined;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as they are, instead of a body. */
  readonly bytes?: Uint8Array | undefined;
  /** Until the last byte of the answer. */
  readonly timeoutMs: number;
  readonly maxBytes: number;
  /** Gives the call up when aborted. */
  readonly signal?: AbortSignal | undefined;
}

/** The longest part of an answer's body that an error shows. */
const SHOWN_CHARACTERS = 2_000;

/** Makes one request and reads its answer, whatever its status. Rejects only with {@link RayCallError}. */
export async function callHead(world: CallWorld, call: Call): Promise<HeadAnswer> {
  const { clock, send } = world;
  const abort = new AbortController();
  let isLate = false;
  let isAnswered = false;
  const cancelTimer = clock.setTimer(call.timeoutMs, () => {
    isLate = true;
    abort.abort(new Error('timed out'));
  });
  const giveUp = () => abort.abort(call.signal?.reason);
  call.signal?.addEventListener('abort', giveUp, { once: true });
  if (call.signal?.aborted) giveUp();
  try {
    const response = await orAbort(send(requestOf(call, abort.signal)), abort.signal);
    isAnswered = true;
    const read = await orAbort(readAnswer(world, call, response), abort.signal);
    if (read instanceof HeadAnswer) return read;
    abort.abort(new Error('too big'));
    throw callError(call, read, { failure: 'too-big', status: response.status });
  } catch (error) {
    if (error instanceof RayCallError) throw error;
    throw noAnswer(call, error, { isLate, isAnswered });
  } finally {
    cancelTimer();
    call.signal?.removeEventListener('abort', giveUp);
  }
}

/** The error of a call that `call.url` did not answer as it should: `GetJobInfo fail: GET http://… answered with …`. */
export function callError(
  call: Call,
  problem: string,
  details: Pick<RayCallErrorDetails, 'failure' | 'status' | 'body' | 'cause'> & { readonly didNothing?: boolean },
): RayCallError {
  const { method, url } = call;
  return new RayCallError(`${call.name} fail: ${method} ${url} ${problem}`, {
    didNothing: false,
    ...details,
    method,
    url,
  });
}

/** The error of an answer whose status says no: `SubmitJob fail: 500 Internal Server Error <body>`. */
export function statusError(call: Call, { status, text }: HeadAnswer): RayCallError {
  const reason = STATUS_CODES[status];
  const line = `${status}${reason === undefined ? '' : ` ${reason}`} ${shown(withoutTraceback(text))}`.trimEnd();
  return new RayCallError(`${call.name} fail: ${line}`, {
    failure: 'status',
    method: call.method,
    url: call.url,
    status,
    body: shown(text),
    // After a gateway error or timeout it is unknown whether the head acted.
    didNothing: status < 500,
  });
}

/** Ray's error responses are tracebacks; only the last line is for users. */
function withoutTraceback(text: string): string {
  if (!text.startsWith('Traceback (most recent call last)')) return text;
  const words = text.split('\n').filter((line) => /^[A-Za-z_][\w.]*(Error|Exception|Exit|Interrupt)?: /.test(line));
  return words.at(-1) ?? text;
}

/** The response as JSON; the error for anything else has an excerpt. */
export function parseAnswer(call: Call, { status, bytes, text }: HeadAnswer): unknown {
  const excess = jsonExcess(bytes);
  if (excess !== undefined) {
    const problem = `answered with JSON of more than ${excess.limit} ${excess.what}, which is too much to be read`;
    throw callError(call, problem, { failure: 'too-big', status });
  }
  const details = { failure: 'unreadable', status, body: shown(text) } as const;
  if (text.trim() === '') throw callError(call, 'answered with an empty body', details);
  try {
    return JSON.parse(text);
  } catch (cause) {
    const looks = /^\s*</.test(text) ? 'a web page' : 'something';
    throw callError(call, `answered with ${looks} instead of JSON: ${shown(text, 200)}`, { ...details, cause });
  }
}

/** The beginning of a text, with what is left out counted. */
export function shown(text: string, characters = SHOWN_CHARACTERS): string {
  if (text.length <= characters) return text;
  return `${text.slice(0, characters)}… (${text.length - characters} more characters)`;
}

function requestOf(call: Call, signal: AbortSignal): RayRequest {
  const body = call.body === undefined ? undefined : JSON.stringify(call.body);
  return {
    method: call.method,
    url: call.url,
    headers: {
      accept: 'application/json',
      // Ray refuses what looks like a browser.
      'user-agent': 'manta',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(call.token !== undefined && { 'x-ray-authorization': `Bearer ${call.token}` }),
    },
    body,
    ...(call.bytes !== undefined && { bytes: call.bytes }),
    signal,
  };
}

/** The whole answer, or why it is refused; then the rest of it is given up. The body of an error is cut instead. */
async function readAnswer(world: CallWorld, call: Call, response: RayResponse): Promise<HeadAnswer | string> {
  const isError = response.status >= 400;
  const maxBytes = isError ? RAY_LIMITS.answerBytes.error : call.maxBytes;
  const tooBig = `answered with more than ${inMebibytes(maxBytes)}, which is too much to be read`;
  if (!isError && Number(response.headers['content-length'] ?? 0) > maxBytes) return tooBig;
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of response.body) {
      if (world.reading?.take(chunk.byteLength, length) === false) {
        return 'was given up: the answers of all heads that are being read take up the memory meant for them';
      }
      length += chunk.byteLength;
      chunks.push(chunk);
      if (length <= maxBytes) continue;
      if (isError) break;
      return tooBig;
    }
    return new HeadAnswer(response.status, Buffer.concat(chunks));
  } finally {
    world.reading?.give(length);
    if (world.ledger !== undefined) world.ledger.cost = { bytesRead: length, bytesParsed: 0 };
  }
}

/** A transport that does not heed its signal must not hold us up. */
function orAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

interface HowFar {
  readonly isLate: boolean;
  readonly isAnswered: boolean;
}

function noAnswer(call: Call, cause: unknown, { isLate, isAnswered }: HowFar): RayCallError {
  if (isLate) {
    return callError(call, `was not answered within ${call.timeoutMs / 1000} s`, { failure: 'timeout', cause });
  }
  const words = wordsOf(cause);
  if (isAnswered) return callError(call, `broke off within its answer (${words})`, { failure: 'unreachable', cause });
  return callError(call, `came to nothing (${words})`, {
    failure: 'unreachable',
    didNothing: NEVER_CONNECTED.test(codeOf(cause)),
    cause,
  });
}

const NEVER_CONNECTED = /^(ECONNREFUSED|ENOTFOUND|EAI_\w+|EHOSTUNREACH|ENETUNREACH|EHOSTDOWN)$/;

function codeOf(error: unknown): string {
  if (error instanceof AggregateError) return codeOf(error.errors[0]);
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') return error.code;
  return error instanceof Error && error.cause !== undefined ? codeOf(error.cause) : '';
}

function wordsOf(error: unknown): string {
  if (error instanceof AggregateError) return wordsOf(error.errors[0]);
  return messageOf(error);
}

function inMebibytes(bytes: number): string {
  return bytes >= 1024 * 1024 ? `${Math.round(bytes / 1024 / 1024)} MiB` : `${bytes} bytes`;
}
