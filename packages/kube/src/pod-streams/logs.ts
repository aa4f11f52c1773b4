import { StringDecoder } from 'node:string_decoder';
import type { Transport, TransportResponse } from '../transport/transport.ts';
import { failedResponse } from './failed-response.ts';
import { podPath } from './pod-path.ts';

export interface LogOptions {
  readonly namespace: string;
  readonly pod: string;
  /** Must be named where the pod has several. */
  readonly container?: string | undefined;
  /** Waits for more until the container ends. */
  readonly follow?: boolean | undefined;
  /** Only the last so many lines. */
  readonly tailLines?: number | undefined;
  readonly sinceSeconds?: number | undefined;
  /** RFC 3339; wins over `sinceSeconds`. */
  readonly sinceTime?: string | undefined;
  /** Puts an RFC 3339 time before each line. */
  readonly timestamps?: boolean | undefined;
  /** The log of the container's last run instead of this one. */
  readonly previous?: boolean | undefined;
  readonly limitBytes?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A container's log as the bytes arrive; leaving the loop ends the request. Fails with `ApiError` or `TransportError`. */
export async function* podLogs(transport: Transport, options: LogOptions): AsyncGenerator<Uint8Array, void> {
  const path = podPath(options, 'log', logQuery(options));
  const response = await transport.send({
    method: 'GET',
    path,
    headers: { accept: '*/*' },
    signal: options.signal,
  });
  if (response.status !== 200) {
    const call = { method: 'GET', path: path.replace(/\?.*/, '') };
    throw failedResponse(call, response.status, await readAll(response));
  }
  yield* response.body;
}

/** The same line by line, without the line breaks. A last line that has none is given too. */
export async function* podLogLines(transport: Transport, options: LogOptions): AsyncGenerator<string, void> {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  for await (const chunk of podLogs(transport, options)) {
    const lines = (rest + decoder.write(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength))).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  rest += decoder.end();
  if (rest !== '') yield rest;
}

function logQuery(options: LogOptions): readonly (readonly [string, string])[] {
  const wanted = {
    container: options.container,
    follow: options.follow ? 'true' : undefined,
    tailLines: options.tailLines?.toString(),
    sinceTime: options.sinceTime,
    sinceSeconds: options.sinceTime === undefined ? options.sinceSeconds?.toString() : undefined,
    timestamps: options.timestamps ? 'true' : undefined,
    previous: options.previous ? 'true' : undefined,
    limitBytes: options.limitBytes?.toString(),
  };
  return Object.entries(wanted).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
}

async function readAll(response: TransportResponse): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of response.body) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
