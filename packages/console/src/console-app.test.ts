import { systemClock } from '@manta/kube';
import { createLogger, encodeConsole } from '@manta/runtime';
import { describe, expect, it } from 'vitest';
import { createConsoleApp } from './console-app.ts';
import type { ConsoleParts } from './console-parts.ts';
import { Sessions } from './identity/sessions.ts';
import type { ViewerAccess } from './identity/viewer.ts';

/** The routes for one viewer whose requests to the API server end like this. */
function start(send: () => Promise<never>) {
  const lines: string[] = [];
  const sink = {
    write: (line: string) => void lines.push(line),
    flush: async () => undefined,
    flushSync: () => undefined,
    takeDropped: () => 0,
  };
  const sessions = new Sessions(systemClock);
  const access = { transport: { send, close: async () => undefined }, client: {} } as unknown as ViewerAccess;
  const { id, key } = sessions.start({ user: 'ada', groups: [], method: 'token' }, access);
  const parts = {
    clock: systemClock,
    log: createLogger({ clock: systemClock, main: { sink, encode: encodeConsole } }),
    sessions,
    files: new Map(),
    hosts: () => ['console'],
    hasComputeTemplates: false,
    methods: [],
  } as unknown as ConsoleParts;
  const app = createConsoleApp(parts);
  const headers = { host: 'console', cookie: `__Host-manta=${id}`, 'x-manta-console': key };
  return {
    log: () => lines.join(''),
    request: (method: string, path: string) => app.request(`http://console${path}`, { method, headers }),
    close: () => sessions.endAll(),
  };
}

describe('a write', () => {
  it('leaves an audit line although its sender left before the answer', async () => {
    const { request, log, close } = start(() => Promise.reject(new Error('the client left')));
    await request('DELETE', '/apis/ray.io/v1/namespaces/a/rayjobs/train');
    expect(log()).toMatch(
      /Write.*"user":"ada","method":"DELETE","path":".*\/rayjobs\/train","error":"the client left"/,
    );
    close();
  });
});
