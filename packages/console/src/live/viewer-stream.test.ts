import type { KubeClient } from '@manta/kube';
import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../../kube/src/testing/manual-clock.ts';
import { STREAMED_KINDS, type StreamedKind } from '../protocol.ts';
import type { Caches } from './caches.ts';
import { viewerStream } from './viewer-stream.ts';

/** Caches whose changes a test makes, and a viewer who may see nothing. */
function start() {
  const handlers = new Map<StreamedKind, (change: unknown) => void>();
  const one = (kind: StreamedKind) => ({
    records: () => [],
    status: () => ({ troubles: [] }),
    onChange: (handler: (change: unknown) => void) => {
      handlers.set(kind, handler);
      return () => handlers.delete(kind);
    },
  });
  const caches = Object.fromEntries(STREAMED_KINDS.map((kind) => [kind, one(kind)])) as unknown as Caches;
  const asked: string[] = [];
  const client = {
    post: async (path: string) => {
      asked.push(path);
      return { status: {} };
    },
  } as unknown as KubeClient;
  const clock = new ManualClock();
  const stop = new AbortController();
  const messages = viewerStream({ caches, client, clock, signal: stop.signal });
  const change = (kind: StreamedKind, key: string) =>
    handlers.get(kind)?.({ key, after: { namespace: key.split('/')[0], name: key.split('/')[1], json: '{}' } });
  return { messages, asked, clock, change, stop: () => stop.abort() };
}

describe('viewerStream()', () => {
  it('asks no sooner for rights because pods, Events and nodes change that the viewer may not see', async () => {
    const { messages, asked, clock, change, stop } = start();
    await messages.next();
    const before = asked.length;
    for (let second = 0; second < 50; second += 1) {
      change('Event', 'kube-system/pulled');
      change('Pod', 'kube-system/dns');
      change('Node', 'node-1');
      clock.advance(1000);
    }
    expect(asked.length).toBe(before);
    change('RayJob', 'new/train');
    clock.advance(3000);
    expect(asked.length).toBeGreaterThan(before);
    stop();
    await messages.return(undefined);
  });
});
