import type { KubeObject } from '@manta/api';
import type { KubeClient, ResourceType, WatchEvent, WatchOptions } from '@manta/kube';
import type { FaultCall } from './call.ts';
import { refusalOf } from './fault.ts';
import { type FaultyLink, failureWithoutServer, refusalStatus, serverFor } from './link.ts';
import type { Cut } from '../../http/watch-response.ts';

/** A silent loss means a dead connection, which a client that pings finds out after this long. */
const UNNOTICED_MS = 45_000;

/** A watch whose opening is a request and whose events are parcels. Events of one watch keep their order, those of two do not. */
export async function* watchWithFaults<T extends KubeObject>(
  link: FaultyLink,
  call: FaultCall,
  type: ResourceType<T>,
  options: WatchOptions,
): AsyncGenerator<WatchEvent<T>> {
  const { signal } = options;
  signal?.throwIfAborted();
  const inbox = new Inbox<WatchEvent<T>>();
  const close = openWatch(link, call, type, options, inbox);
  const onAbort = () => inbox.wake();
  signal?.addEventListener('abort', onAbort, { once: true });
  link.gone?.addEventListener('abort', close, { once: true });
  try {
    for (;;) {
      signal?.throwIfAborted();
      const next = inbox.take();
      if (next !== undefined) yield next;
      else if (inbox.end === undefined) await inbox.wait();
      else if (inbox.end.error === undefined) return;
      // oxlint-disable-next-line typescript/only-throw-error -- handed on as the server's side threw it
      else throw inbox.end.error;
    }
  } finally {
    close();
    link.gone?.removeEventListener('abort', close);
    signal?.removeEventListener('abort', onAbort);
  }
}

/** What has arrived and was not yet taken. */
class Inbox<E> {
  readonly #events: E[] = [];
  end: { readonly error?: unknown } | undefined;
  wake: () => void = () => undefined;

  put(event: E): void {
    this.#events.push(event);
    this.wake();
  }

  take(): E | undefined {
    return this.#events.shift();
  }

  finish(end: { readonly error?: unknown }): void {
    this.end ??= end;
    this.wake();
  }

  wait(): Promise<void> {
    return new Promise((resolve) => (this.wake = resolve));
  }
}

/** Returns what closes it, on both sides. */
function openWatch<T extends KubeObject>(
  link: FaultyLink,
  call: FaultCall,
  type: ResourceType<T>,
  options: WatchOptions,
  inbox: Inbox<WatchEvent<T>>,
): () => void {
  const { board, wire } = link;
  const verdict = board.intercept(call);
  const server = new AbortController();
  const isClosed = () => server.signal.aborted;
  const fail = () => {
    const error = failureWithoutServer(link, call, verdict);
    wire.carry({ what: 'answer', call, delayMs: verdict.answerDelayMs }, () => inbox.finish({ error }));
  };
  const onCut = (how: Cut) => {
    server.abort();
    inbox.finish(endAfter(link, call, how));
  };
  const gate = board.openStream(call, { wire, onCut });
  const close = () => {
    gate.close();
    server.abort();
  };
  if (verdict.loss?.what === 'unsent') {
    fail();
    return close;
  }
  wire.carry({ what: 'request', call, delayMs: verdict.requestDelayMs }, () => {
    if (isClosed()) return;
    if (verdict.loss === undefined && verdict.refusal === undefined) {
      const source = serverFor(link, call, verdict);
      void pump(
        source,
        type,
        { ...options, signal: server.signal },
        {
          event: (event) => gate.send(() => inbox.put(event)),
          end: (end) => gate.send(() => inbox.finish(end)),
          isClosed,
        },
      );
    } else if (verdict.loss?.isSilent === true) link.clock.setTimer(UNNOTICED_MS, fail);
    else fail();
  });
  return close;
}

interface Receiver<E> {
  readonly event: (event: E) => void;
  readonly end: (end: { readonly error?: unknown }) => void;
  readonly isClosed: () => boolean;
}

/** The server's side: hands on what the watch yields, and how it ends. */
async function pump<T extends KubeObject>(
  server: KubeClient,
  type: ResourceType<T>,
  options: WatchOptions,
  receiver: Receiver<WatchEvent<T>>,
): Promise<void> {
  try {
    for await (const event of server.watch(type, options)) receiver.event(event);
    receiver.end({});
  } catch (error) {
    if (!receiver.isClosed()) receiver.end({ error });
  }
}

function endAfter({ errors }: FaultyLink, call: FaultCall, how: Cut): { readonly error?: unknown } {
  if (how === 'end') return {};
  if (how === 'reset') return { error: errors.lost(call, 'the connection was reset', false) };
  return { error: errors.refused(call, refusalStatus(refusalOf({ kind: 'refuse', code: 410 }))) };
}
