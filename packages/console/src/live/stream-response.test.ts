import { systemClock } from '@manta/kube';
import { describe, expect, it } from 'vitest';
import type { ConsoleParts } from '../console-parts.ts';
import type { ViewerSession } from '../identity/sessions.ts';
import { STREAMED_KINDS } from '../protocol.ts';
import { streamResponse } from './stream-response.ts';

const cache = { records: () => [], status: () => ({ troubles: [] }), onChange: () => () => undefined };
const parts = {
  clock: systemClock,
  caches: Object.fromEntries(STREAMED_KINDS.map((kind) => [kind, cache])),
} as unknown as ConsoleParts;
const login = () =>
  ({
    access: { client: { post: async () => ({ status: {} }) } },
    ended: new AbortController().signal,
  }) as unknown as ViewerSession;

describe('streamResponse()', () => {
  it('opens no more than 30 streams for a session, and another as soon as one is closed', async () => {
    const { signal } = new AbortController();
    const session = login();
    const streams = Array.from({ length: 30 }, () => streamResponse(parts, session, signal));
    expect(new Set(streams.map(({ status }) => status))).toEqual(new Set([200]));
    expect(streamResponse(parts, session, signal).status).toBe(429);
    expect(streamResponse(parts, login(), signal).status).toBe(200);
    await streams[0]?.body?.cancel();
    expect(streamResponse(parts, session, signal).status).toBe(200);
  });
});
