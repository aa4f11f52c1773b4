import type { Clock, KubeClient } from '@manta/kube';
import { namespaceOf, type ObjectKey } from '@manta/runtime';
import { STREAMED_KINDS, type StreamedKind, type StreamMessage } from '../protocol.ts';
import { type Caches, isRayKind, rayNamespaces } from './caches.ts';
import { PendingMessages } from './pending-messages.ts';
import { type AccessTable, readAccess } from './viewer-access.ts';

export interface StreamOptions {
  readonly caches: Caches;
  readonly client: KubeClient;
  readonly clock: Clock;
  /** Ends the stream: the browser left, the session ended or the console shuts down. */
  readonly signal: AbortSignal;
}

/** How often a viewer's access is checked again; withdrawn access is noticed within this time. */
export const RECHECK_MS = 60_000;
const HEARTBEAT_MS = 10_000;
/** A Ray object in a namespace that the access table does not know leads to an earlier check, but not more often than this. */
const EARLY_RECHECK_MS = 2000;

/**
 * The messages for one viewer: access and snapshots first, then changes as they come. Every object is checked against the viewer's own
 * access; after a change of access the affected kinds are sent again as snapshots. Rejects when the API server rejects the viewer.
 */
export async function* viewerStream(options: StreamOptions): AsyncGenerator<readonly string[]> {
  const { caches, client, clock, signal } = options;
  const pending = new PendingMessages();
  let known = rayNamespaces(caches);
  let access = await readAccess(client, known, signal);
  let nextCheckMs = clock.now() + RECHECK_MS;
  const send = (message: StreamMessage) => pending.add(JSON.stringify(message));
  const sendSnapshot = (kind: StreamedKind) => pending.add(snapshotOf(kind, caches, access));
  send({ type: 'access', access: access.kinds });
  for (const kind of STREAMED_KINDS) sendSnapshot(kind);
  const undo = STREAMED_KINDS.map((kind) =>
    caches[kind].onChange(({ key, after, before }) => {
      const namespace = namespaceOf(key) ?? '';
      if (access.maySee(kind, namespace))
        pending.add(
          after === undefined ? deletion(kind, namespace, before?.name ?? nameIn(key)) : upsert(kind, after.json),
          `${kind}/${key}`,
        );
      // Pods, Events and nodes elsewhere change all the time, and no check would show them: only Ray objects make a namespace known.
      else if (isRayKind(kind) && after !== undefined && !known.includes(namespace))
        nextCheckMs = Math.min(nextCheckMs, clock.now() + EARLY_RECHECK_MS);
    }),
  );
  const recheck = async () => {
    nextCheckMs = clock.now() + RECHECK_MS;
    known = rayNamespaces(caches);
    const before = access;
    access = await readAccess(client, known, signal);
    if (JSON.stringify(before.kinds) === JSON.stringify(access.kinds)) return;
    send({ type: 'access', access: access.kinds });
    for (const kind of STREAMED_KINDS) if (isChanged(kind, before, access)) sendSnapshot(kind);
  };
  const failed = new AbortController();
  // One at a time: the answer of a slow check must not replace that of a later one.
  let isChecking = false;
  const heartbeat = every(clock, 1000, (elapsed) => {
    if (elapsed % HEARTBEAT_MS === 0)
      send({ type: 'heartbeat', now: new Date(clock.now()).toISOString(), ...behind(caches) });
    if (isChecking || clock.now() < nextCheckMs) return;
    isChecking = true;
    recheck()
      .catch((error: unknown) => failed.abort(error))
      .finally(() => (isChecking = false));
  });
  try {
    const either = AbortSignal.any([signal, failed.signal]);
    for (let messages = await pending.take(either); messages !== undefined; messages = await pending.take(either)) {
      if (either.aborted) break;
      yield messages;
    }
    if (failed.signal.aborted && !signal.aborted) throw failed.signal.reason;
  } finally {
    heartbeat();
    for (const each of undo) each();
  }
}

function isChanged(kind: StreamedKind, before: AccessTable, after: AccessTable): boolean {
  const of = ({ kinds }: AccessTable) => JSON.stringify(kinds.find((each) => each.kind === kind));
  return of(before) !== of(after);
}

function snapshotOf(kind: StreamedKind, caches: Caches, access: AccessTable): string {
  const items: string[] = [];
  for (const { namespace, json } of caches[kind].records()) if (access.maySee(kind, namespace)) items.push(json);
  return `{"type":"snapshot","kind":"${kind}","items":[${items.join(',')}]}`;
}

function upsert(kind: StreamedKind, json: string): string {
  return `{"type":"upsert","kind":"${kind}","object":${json}}`;
}

function deletion(kind: StreamedKind, namespace: string, name: string): string {
  return JSON.stringify({ type: 'delete', kind, namespace, name } satisfies StreamMessage);
}

function nameIn(key: ObjectKey): string {
  return key.slice(key.indexOf('/') + 1);
}

/** Whether a cache that should be followed is not. */
function behind(caches: Caches): { readonly behind?: string } {
  const failing = STREAMED_KINDS.map((kind) =>
    caches[kind].status().troubles.find(({ kind: trouble }) => trouble === 'failing'),
  );
  const first = failing.find((trouble) => trouble !== undefined);
  return first === undefined ? {} : { behind: first.message };
}

/** Calls `tick` each interval with the time since the start; returns its own end. */
function every(clock: Clock, intervalMs: number, tick: (elapsedMs: number) => void): () => void {
  let cancel: () => void;
  const schedule = (elapsed: number) => {
    cancel = clock.setTimer(intervalMs, () => {
      schedule(elapsed + intervalMs);
      tick(elapsed + intervalMs);
    });
  };
  schedule(0);
  return () => cancel();
}
