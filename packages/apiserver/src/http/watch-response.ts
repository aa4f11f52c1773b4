import { guard } from '@manta/base';
import { bytesOf } from '../object/object-bytes.ts';
import { StatusError } from '../status/status-error.ts';
import type { StoredObject } from '../object/stored-object.ts';
import type { Api } from '../api.ts';
import type { ListParams } from '../requests/list-params.ts';
import type { Scope } from '../requests/request.ts';
import { failureStatus } from '../status/status.ts';
import { watchObjects } from '../verbs/watch.ts';
import { type HttpResponse, isGone, reset } from './http-request.ts';
import { LineWriter } from './line-writer.ts';
import { showObject, type View } from './show.ts';

/** How a watch breaks: `reset`, the connection; `end`, the server closes it; `expired`, an ERROR event with 410. */
export type Cut = 'reset' | 'end' | 'expired';

/** The way of one watch's events to its client: in order, until it is cut or closed. */
export interface WatchGate {
  /** Delivers after everything sent before. */
  send(deliver: () => void): void;
  /** Nothing is delivered any more. */
  close(): void;
}

/** Opens a fault-injecting channel for a watch's events; `onCut` is called when a fault cuts it. Undefined: events are written directly. */
export type OpenGate = (onCut: (how: Cut) => void) => WatchGate | undefined;

/** Streams a watch as newline-delimited JSON, until the client leaves or the watch ends. */
export function respondWatch(
  api: Api,
  scope: Scope,
  params: ListParams,
  view: Omit<View, 'nowMs'>,
  response: HttpResponse,
  openGate: OpenGate = () => undefined,
): void {
  const lines = new LineWriter(response);
  const fail = (error: StatusError) => {
    lines.write(jsonLine({ type: 'ERROR', object: failureStatus(error) }));
    lines.end();
  };
  const gate = openGate((how) => {
    if (how === 'expired')
      fail(new StatusError(410, 'Expired', 'The resourceVersion for the provided watch is too old.'));
    else if (how === 'end') lines.end();
    else reset(response);
  });
  const pass = (deliver: () => void) => (gate === undefined ? deliver() : gate.send(deliver));
  const stop = watchObjects(api, scope, params, {
    event(type, object) {
      const shown = showObject({ ...view, nowMs: api.world.clock.now() }, object);
      pass(() => lines.write(...eventLine(type, shown, object)));
    },
    bookmark: (resourceVersion, isEnd) => pass(() => lines.write(bookmarkLine(scope, resourceVersion, isEnd))),
    error: (error) => pass(() => fail(error)),
    end: () => pass(() => lines.end()),
  });
  // Headers only now: bad parameters must be able to answer with a Status.
  response.writeHead(200, { 'content-type': view.representation.contentType });
  lines.open();
  const leave = guard('API server', response, () => {
    stop();
    gate?.close();
  });
  response.on('close', leave);
  // A client that left before the watch began is reported by no event any more.
  if (isGone(response)) leave();
}

const LINE_START = {
  ADDED: Buffer.from('{"type":"ADDED","object":'),
  MODIFIED: Buffer.from('{"type":"MODIFIED","object":'),
  DELETED: Buffer.from('{"type":"DELETED","object":'),
} as const;
const LINE_END = Buffer.from('}\n');

/** A line in pieces that are the same for every watcher of the object. */
function eventLine(type: keyof typeof LINE_START, shown: unknown, object: StoredObject): readonly Uint8Array[] {
  if (shown !== object) return [jsonLine({ type, object: shown })];
  return [LINE_START[type], bytesOf(object), LINE_END];
}

function jsonLine(value: unknown): Uint8Array {
  return Buffer.from(`${JSON.stringify(value)}\n`);
}

function bookmarkLine({ version }: Scope, resourceVersion: string, isInitialEventsEnd: boolean): Uint8Array {
  const annotations = isInitialEventsEnd ? { annotations: { 'k8s.io/initial-events-end': 'true' } } : {};
  const { kind } = version.resource;
  const metadata = { resourceVersion, creationTimestamp: null, ...annotations };
  return jsonLine({ type: 'BOOKMARK', object: { kind, apiVersion: version.apiVersion, metadata } });
}
