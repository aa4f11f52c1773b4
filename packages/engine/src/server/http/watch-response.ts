import type { StoredObject } from '../../stored-object.ts';
import type { Api } from '../api.ts';
import type { ListParams } from '../list-params.ts';
import type { Scope } from '../request.ts';
import { failureStatus } from '../status.ts';
import { watchObjects } from '../verbs/watch.ts';
import type { HttpResponse } from './http-request.ts';
import { showObject, type View } from './show.ts';

/** A watcher that has so many bytes waiting is too slow and is let go; it lists again when it is back. */
const SLOW_BYTES = 64 * 1024 * 1024;

/** Streams a watch as newline-delimited JSON, until the client leaves or the watch ends. */
export function respondWatch(
  api: Api,
  scope: Scope,
  params: ListParams,
  view: Omit<View, 'nowMs'>,
  response: HttpResponse,
): void {
  const backlog: string[] = [];
  let isOpen = false;
  let hasEnded = false;
  const write = (line: string): void => {
    if (!isOpen) backlog.push(line);
    else if (response.writableLength > SLOW_BYTES) response.destroy();
    else response.write(line);
  };
  const end = (): void => {
    hasEnded = true;
    if (isOpen) response.end();
  };
  const stop = watchObjects(api, scope, params, {
    event: (type, object) =>
      write(eventLine(type, showObject({ ...view, nowMs: api.world.clock.now() }, object), object)),
    bookmark: (resourceVersion, isEnd) => write(bookmarkLine(scope, resourceVersion, isEnd)),
    error(error) {
      write(`${JSON.stringify({ type: 'ERROR', object: failureStatus(error) })}\n`);
      end();
    },
    end,
  });
  // Headers only now: bad parameters must be able to answer with a Status.
  response.writeHead(200, { 'content-type': view.representation.contentType });
  isOpen = true;
  if (backlog.length > 0) response.write(backlog.join(''));
  else response.flushHeaders?.();
  if (hasEnded) response.end();
  response.on('close', stop);
}

/** Many watchers are told of the same object one after the other: its text is made once. */
let lastObject: StoredObject | undefined;
let lastText = '';

function eventLine(type: string, shown: unknown, object: StoredObject): string {
  if (shown !== object) return `${JSON.stringify({ type, object: shown })}\n`;
  if (lastObject !== object) {
    lastText = JSON.stringify(object);
    lastObject = object;
  }
  return `{"type":"${type}","object":${lastText}}\n`;
}

function bookmarkLine({ version }: Scope, resourceVersion: string, isInitialEventsEnd: boolean): string {
  const annotations = isInitialEventsEnd ? { annotations: { 'k8s.io/initial-events-end': 'true' } } : {};
  const { kind } = version.resource;
  const metadata = { resourceVersion, creationTimestamp: null, ...annotations };
  return `${JSON.stringify({ type: 'BOOKMARK', object: { kind, apiVersion: version.apiVersion, metadata } })}\n`;
}
