import type { KubeObject } from '@manta/api';
import { type FailedCall, TransportError } from '../api-error.ts';
import { errorOfEvent } from './decode-error.ts';
import type { Content, WatchEvent } from './client.ts';
import { LineSplitter } from '../bytes/lines.ts';
import { parserFor } from '../bytes/unmanaged.ts';
import { readEvent } from '../wire/envelope.ts';
import { FrameSplitter } from '../wire/frames.ts';
import type { Shape } from '../wire/shape.ts';

/** Marks the bookmark that ends the initial events of a WatchList. */
const INITIAL_EVENTS_END = 'k8s.io/initial-events-end';

interface RawEvent<T> {
  readonly type: string;
  readonly object: T;
}

/** How events are found in what arrives, and read; one at a time, so that a chunk full of them is not held twice. */
interface Reading<T, P> {
  readonly split: (chunk: Uint8Array) => readonly P[];
  /** What is left at the end. */
  readonly rest: () => P | undefined;
  readonly read: (piece: P) => RawEvent<T>;
}

/** Decodes a watch's body: one JSON object a line. Throws what the server reports by an ERROR event. */
export function eventsInLines<T extends KubeObject>(
  body: AsyncIterable<Uint8Array>,
  call: FailedCall,
  content?: Content,
): AsyncGenerator<WatchEvent<T>, void, undefined> {
  const parse = parserFor(content);
  const lines = new LineSplitter();
  return watchEvents<T, string>(body, call, {
    split: (chunk) => lines.push(chunk),
    rest: () => lines.end() || undefined,
    read: (line) =>
      explained(
        () => parse(line),
        call,
        () => `is not JSON: ${line.slice(0, 120)}`,
      ),
  });
}

/** The same for protobuf: of each object there is what its shape names. */
export function eventsInFrames<T extends KubeObject>(
  body: AsyncIterable<Uint8Array>,
  call: FailedCall,
  shape: Shape,
): AsyncGenerator<WatchEvent<T>, void, undefined> {
  const frames = new FrameSplitter();
  return watchEvents<T, Buffer>(body, call, {
    split: (chunk) => frames.push(chunk),
    rest: () => frames.rest(),
    read: (frame) =>
      explained(
        () => readEvent(frame, shape),
        call,
        () => 'cannot be read',
      ),
  });
}

async function* watchEvents<T extends KubeObject, P>(
  body: AsyncIterable<Uint8Array>,
  call: FailedCall,
  { split, rest, read }: Reading<T, P>,
): AsyncGenerator<WatchEvent<T>, void, undefined> {
  for await (const chunk of body) {
    for (const piece of split(chunk)) {
      const event = eventOf(read(piece), call);
      if (event !== undefined) yield event;
    }
  }
  const last = rest();
  const event = last === undefined ? undefined : eventOf(read(last), call);
  if (event !== undefined) yield event;
}

/** Event types that we don't know (there are none today) are passed over, as a newer server may have them. */
function eventOf<T extends KubeObject>({ type, object }: RawEvent<T>, call: FailedCall): WatchEvent<T> | undefined {
  switch (type) {
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED':
      return { type, object };
    case 'BOOKMARK':
      return {
        type,
        resourceVersion: object.metadata?.resourceVersion ?? '',
        isInitialEventsEnd: object.metadata?.annotations?.[INITIAL_EVENTS_END] === 'true',
      };
    case 'ERROR':
      throw errorOfEvent(call, object);
    default:
      return undefined;
  }
}

function explained<V>(read: () => V, call: FailedCall, what: () => string): V {
  try {
    return read();
  } catch (error) {
    throw new TransportError(`The watch ${call.path} sent an event that ${what()}`, { cause: error, call });
  }
}
