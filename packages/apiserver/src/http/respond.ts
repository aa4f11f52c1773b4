import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { isObject } from '../object/json.ts';
import { bytesOf } from '../object/object-bytes.ts';
import { StatusError } from '../status/status-error.ts';
import type { StoredObject } from '../object/stored-object.ts';
import { failureStatus } from '../status/status.ts';
import { type HttpResponse, isGone } from './http-request.ts';
import { ObjectList } from './object-list.ts';

const compress = promisify(gzip);
const NEWLINE = Buffer.from('\n');
const CHUNK_BYTES = 256 * 1024;

/** An answer that is complete. */
export interface Answer {
  readonly code: number;
  readonly body: unknown;
  readonly format?: 'json' | 'yaml';
  /** What the Content-Type says, where it is not the plain format. */
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly isPretty?: boolean;
  /** The client reads gzip. */
  readonly isCompressible?: boolean;
}

/** Answers of at least this size are compressed for clients that can read it. */
const COMPRESS_BYTES = 128 * 1024;

/** Writes an object as JSON or YAML; resolves when the client has read it, or has disconnected. */
export async function respond(response: HttpResponse, answer: Answer): Promise<void> {
  const { code, format = 'json', contentType, headers = {} } = answer;
  const pieces = format === 'yaml' ? [await yamlOf(answer.body)] : piecesOf(answer);
  const type = contentType ?? (format === 'yaml' ? 'application/yaml' : 'application/json');
  if (answer.isCompressible === true && sizeOf(pieces) >= COMPRESS_BYTES) {
    const bytes = await compress(Buffer.concat(pieces), { level: 1 });
    const coding = { 'content-encoding': 'gzip', vary: 'Accept-Encoding', ...headers };
    await respondPieces(response, code, [bytes], type, coding);
  } else await respondPieces(response, code, pieces, type, headers);
}

/** Few ask for YAML: the library is loaded for the first who does. */
async function yamlOf(body: unknown): Promise<Uint8Array> {
  const { stringify } = await import('yaml');
  return Buffer.from(stringify(body instanceof ObjectList ? body.toJSON() : body));
}

function piecesOf({ body, isPretty }: Answer): readonly Uint8Array[] {
  if (isPretty === true) return [Buffer.from(`${JSON.stringify(body, undefined, 2)}\n`)];
  if (body instanceof ObjectList) return body.pieces();
  if (isStored(body)) return [bytesOf(body), NEWLINE];
  return [Buffer.from(`${JSON.stringify(body)}\n`)];
}

/** What is frozen comes from the store and never changes. */
function isStored(body: unknown): body is StoredObject {
  return isObject(body) && Object.isFrozen(body) && isObject(body['metadata']);
}

/** Writes a text. */
export async function respondText(
  response: HttpResponse,
  code: number,
  text: string,
  contentType: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<void> {
  await respondPieces(response, code, [Buffer.from(text)], contentType, headers);
}

async function respondPieces(
  response: HttpResponse,
  code: number,
  pieces: readonly Uint8Array[],
  contentType: string,
  headers: Readonly<Record<string, string>>,
): Promise<void> {
  if (response.headersSent || response.writableEnded) return;
  response.writeHead(code, { 'content-type': contentType, 'content-length': String(sizeOf(pieces)), ...headers });
  for (const chunk of inChunks(pieces)) {
    if (!response.write(chunk) && (isGone(response) || !(await isDrained(response)))) return;
  }
  response.end();
}

/** Small pieces together, so that neither their number nor one huge copy costs much. */
function* inChunks(pieces: readonly Uint8Array[]): Generator<Uint8Array> {
  let chunk: Uint8Array[] = [];
  let size = 0;
  for (const piece of pieces) {
    chunk.push(piece);
    size += piece.length;
    if (size < CHUNK_BYTES) continue;
    yield Buffer.concat(chunk, size);
    [chunk, size] = [[], 0];
  }
  if (size > 0) yield Buffer.concat(chunk, size);
}

function sizeOf(pieces: readonly Uint8Array[]): number {
  return pieces.reduce((total, { length }) => total + length, 0);
}

/** Waits until the client has taken what was written; false where it went away instead. */
function isDrained(response: HttpResponse): Promise<boolean> {
  return new Promise((resolve) => {
    const done = (isAlive: boolean) => {
      response.off('drain', onDrain);
      response.off('close', onClose);
      resolve(isAlive);
    };
    const onDrain = () => done(true);
    const onClose = () => done(false);
    response.on('drain', onDrain);
    response.on('close', onClose);
  });
}

/** Writes a refusal; anything that is not one is a fault of ours and says no more than that. */
export async function respondError(response: HttpResponse, error: unknown): Promise<void> {
  const refusal =
    error instanceof StatusError
      ? error
      : new StatusError(500, 'InternalError', 'Internal error occurred: the engine failed');
  const seconds = refusal.details?.retryAfterSeconds;
  const headers: Record<string, string> = {};
  if (seconds !== undefined && seconds > 0) headers['retry-after'] = String(seconds);
  await respond(response, { code: refusal.code, body: failureStatus(refusal), headers });
}
