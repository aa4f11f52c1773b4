import { messageOf } from '@manta/base';
import type { Duplex } from 'node:stream';
import { finished } from 'node:stream/promises';
import { type PodCall, serveSpdy, type SpdyStream } from '@manta/apiserver';
import { type CommandStatus, failureOf } from './command-status.ts';

/** The protocol of streams for exec and attach over SPDY: the error stream carries a Status. */
export const REMOTE_COMMAND = 'v4.channel.k8s.io';

/** Like Kubernetes. */
const CREATE_MS = 30_000;
/** A client that has got everything closes the connection; one that does not is cut. */
const CLOSE_MS = 5000;

/** The streams of a client, by their type. */
export type RemoteStreams = ReadonlyMap<string, SpdyStream>;

/** The types of streams that a client opens for what it asks for in its query. */
export function wantedStreams({ query }: Pick<PodCall, 'query'>): readonly string[] {
  const isOn = (key: string) => query.get(key) === 'true' || query.get(key) === '1';
  const data = ['stdin', 'stdout', 'stderr'].filter((key) => isOn(key) && !(key === 'stderr' && isOn('tty')));
  return ['error', ...data, ...(isOn('tty') ? ['resize'] : [])];
}

/**
 * Waits until a client has opened the wanted streams, runs the work with them, and ends with its Status on the error stream. The signal
 * aborts when the client has left. Resolves when the connection has ended.
 */
export async function serveRemoteStreams(
  transport: Duplex,
  wanted: readonly string[],
  work: (streams: RemoteStreams, gone: AbortSignal) => Promise<CommandStatus>,
): Promise<void> {
  const streams = new Map<string, SpdyStream>();
  const complete = Promise.withResolvers<void>();
  const gone = new AbortController();
  const over = serveSpdy(transport, (stream) => {
    const type = stream.headers.get('streamtype') ?? '';
    // What a client sends without being asked must not block the connection.
    if (type !== 'stdin') stream.resume();
    if (!wanted.includes(type) || streams.has(type)) {
      stream.destroy();
      return;
    }
    streams.set(type, stream);
    if (streams.size === wanted.length) complete.resolve();
  }).finally(() => gone.abort());
  const timer = setTimeout(() => transport.destroy(), CREATE_MS);
  await Promise.race([complete.promise, over]);
  clearTimeout(timer);
  if (!gone.signal.aborted) await finish(streams, gone.signal, work);
  if (!gone.signal.aborted) transport.end();
  const cut = setTimeout(() => transport.destroy(), CLOSE_MS);
  await over;
  clearTimeout(cut);
}

async function finish(
  streams: RemoteStreams,
  gone: AbortSignal,
  work: (streams: RemoteStreams, gone: AbortSignal) => Promise<CommandStatus>,
): Promise<void> {
  const status = await work(streams, gone).catch((error: unknown) => failureOf(messageOf(error)));
  // Nothing reads its input any more: what the client still sends is discarded.
  streams.get('stdin')?.unpipe().resume();
  const ending = ['stdout', 'stderr', 'error'].flatMap((type) => {
    const stream = streams.get(type);
    stream?.end(type === 'error' ? JSON.stringify(status) : undefined);
    return stream === undefined ? [] : [finished(stream, { readable: false }).catch(() => undefined)];
  });
  await Promise.all(ending);
}
