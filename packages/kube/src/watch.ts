import type { KubeObject } from '@manta/api';
import { type FailedCall, TransportError } from './api-error.ts';
import { errorOfEvent } from './client/decode-error.ts';
import type { Content, WatchEvent } from './client.ts';
import { type Parse, parserFor } from './stream/unmanaged.ts';
import { LineSplitter } from './stream/lines.ts';

/** Marks the bookmark that ends the initial events of a WatchList. */
const INITIAL_EVENTS_END = 'k8s.io/initial-events-end';

interface RawEvent<T> {
  readonly type: string;
  readonly object: T;
}

/** Decodes a watch's body: one JSON object a line. Throws what the server reports by an ERROR event. */
export async function* watchEvents<T extends KubeObject>(
  body: AsyncIterable<Uint8Array>,
  call: FailedCall,
  content?: Content,
): AsyncGenerator<WatchEvent<T>, void, undefined> {
  const parse = parserFor(content);
  const splitter = new LineSplitter();
  for await (const chunk of body) {
    for (const line of splitter.push(chunk)) {
      const event = decodeEvent<T>(line, parse, call);
      if (event !== undefined) yield event;
    }
  }
  const rest = splitter.end();
  if (rest === '') return;
  const event = decodeEvent<T>(rest, parse, call);
  if (event !== undefined) yield event;
}

/** Event types that we don't know (there are none today) are passed over, as a newer server may have them. */
function decodeEvent<T extends KubeObject>(line: string, parse: Parse, call: FailedCall): WatchEvent<T> | undefined {
  const { type, object } = parseEvent<T>(line, parse, call);
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

function parseEvent<T>(line: string, parse: Parse, call: FailedCall): RawEvent<T> {
  try {
    return parse(line);
  } catch (error) {
    throw new TransportError(`The watch ${call.path} sent an event that is not JSON: ${line.slice(0, 120)}`, {
      cause: error,
      call,
    });
  }
}
