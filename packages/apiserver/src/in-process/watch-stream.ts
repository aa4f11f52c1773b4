import type { StatusError } from '../status/status-error.ts';
import type { StoredObject } from '../object/stored-object.ts';
import type { Api } from '../api.ts';
import type { ListParams } from '../requests/list-params.ts';
import type { Scope } from '../requests/request.ts';
import { watchObjects } from '../verbs/watch.ts';

/** What a watch yields. */
export type StreamEvent =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: StoredObject }
  | { readonly type: 'BOOKMARK'; readonly resourceVersion: string; readonly isInitialEventsEnd: boolean };

/** A watch to iterate over; it is open at once, so that nothing is missed between the call and the first iteration. */
export function openWatch(
  api: Api,
  scope: Scope,
  params: ListParams,
  signal: AbortSignal | undefined,
): AsyncIterable<StreamEvent> {
  const queue: StreamEvent[] = [];
  let failure: StatusError | undefined;
  let isOver = false;
  let wake: () => void = () => undefined;
  const push = (event: StreamEvent): void => {
    queue.push(event);
    wake();
  };
  const finish = (error?: StatusError): void => {
    isOver = true;
    failure = error;
    wake();
  };
  const stop = watchObjects(api, scope, params, {
    event: (type, object) => push({ type, object }),
    bookmark: (resourceVersion, isInitialEventsEnd) => push({ type: 'BOOKMARK', resourceVersion, isInitialEventsEnd }),
    error: finish,
    end: () => finish(),
  });
  const onAbort = () => wake();
  signal?.addEventListener('abort', onAbort, { once: true });
  return {
    async *[Symbol.asyncIterator]() {
      try {
        for (;;) {
          signal?.throwIfAborted();
          const next = queue.shift();
          if (next !== undefined) yield next;
          else if (failure !== undefined) throw failure;
          else if (isOver) return;
          else await new Promise<void>((resolve) => (wake = resolve));
        }
      } finally {
        stop();
        signal?.removeEventListener('abort', onAbort);
      }
    },
  };
}
