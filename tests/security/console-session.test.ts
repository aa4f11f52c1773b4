import { once } from 'node:events';
import { connect } from 'node:net';
import { WebSocket } from 'ws';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ConsoleFixture, messagesOf, startConsoleFixture, until } from '../console/console-fixture.ts';

const JOBS = '/apis/ray.io/v1/namespaces/default/rayjobs';

let fixture: ConsoleFixture;
beforeAll(async () => {
  fixture = await startConsoleFixture({ hasOneTimeUrls: true });
});
afterAll(() => fixture.close());

/** A request with exactly these headers. */
const plain = (path: string, headers: Record<string, string>, init: RequestInit = {}) =>
  fetch(new URL(path, fixture.console.url), { redirect: 'manual', ...init, headers });

describe('a stolen console cookie: browsers send it to every port of the host, pods behind node ports included', () => {
  it.each([
    ['GET', '/api/session'],
    ['GET', '/api/stream'],
    ['GET', '/api/logs/pods/default/head'],
    ['GET', JOBS],
    ['POST', JOBS],
    ['DELETE', JOBS],
  ])('%s %s gets nothing without the key of the session', async (method, path) => {
    const cookie = await fixture.logIn('ada');
    const another = fixture.keyOf(await fixture.logIn('ada'));
    for (const key of ['1', 'none', another, ''])
      expect([401, 403]).toContain((await plain(path, { cookie, 'x-manta-console': key }, { method })).status);
    expect([401, 403]).toContain((await plain(path, { cookie }, { method })).status);
  });

  it('opens no terminal without the key of the session', async () => {
    const cookie = await fixture.logIn('ada');
    const another = fixture.keyOf(await fixture.logIn('ada'));
    for (const query of ['', '?key=', `?key=${another}`]) {
      const socket = new WebSocket(
        new URL(`/api/exec/default/head${query}`, fixture.console.url.replace('http', 'ws')),
        {
          headers: { cookie },
          origin: fixture.console.url.slice(0, -1),
        },
      );
      const [error]: Error[] = await once(socket, 'error');
      expect(error?.message).toBe('Unexpected server response: 401');
    }
  });

  it('does not end the session of its owner', async () => {
    const cookie = await fixture.logIn('ada');
    await plain('/api/logout', { cookie, 'x-manta-console': '1' }, { method: 'POST' });
    expect((await fixture.request('/api/session', { cookie })).status).toBe(200);
  });

  it('comes without the key: the session is described without it', async () => {
    const cookie = await fixture.logIn('ada');
    const answer = await fixture.request('/api/session', { cookie });
    expect(await answer.text()).not.toContain(fixture.keyOf(cookie));
  });

  it('with the key in its URL opens a stream, whose headers pages cannot choose', async () => {
    const cookie = await fixture.logIn('ada');
    const stop = new AbortController();
    const path = `/api/stream?key=${fixture.keyOf(cookie)}`;
    const answer = await plain(path, { cookie }, { signal: stop.signal });
    expect(await until(messagesOf(answer), (message) => message.type === 'access')).toBeTruthy();
    stop.abort();
  });
});

describe('callers of the console without credentials', () => {
  it('leaves no connection open after a refused terminal or live log, even if its caller never leaves', async () => {
    const dashboards = fixture.console.rayDashboardPort ?? 0;
    for (const port of [fixture.console.port, dashboards]) {
      const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
      const head = ['GET /api/exec/default/head HTTP/1.1', `host: 127.0.0.1:${port}`, 'connection: Upgrade'];
      socket.write([...head, 'upgrade: websocket', 'sec-websocket-key: a2V5a2V5a2V5a2V5a2V5aw==', '', ''].join('\r\n'));
      const [answer] = (await once(socket, 'data')) as [Buffer];
      expect(answer.toString()).toMatch(/^HTTP\/1\.1 40\d Refused/);
      // A connection of which only one half is closed takes this; one that is closed resets it.
      const timer = setInterval(() => socket.write('more'), 50);
      await once(socket, 'error');
      clearInterval(timer);
      socket.destroy();
    }
  });

  it('cannot send a login of megabytes: its body is not read', async () => {
    const body = JSON.stringify({ token: 'x'.repeat(3_000_000) });
    const headers = { connection: 'close' };
    const answer = await fixture.request('/api/login/token', { method: 'POST', body, headers });
    expect(answer.status).toBe(413);
    expect(await answer.json()).toEqual({
      message: expect.stringMatching(/^the body is larger than \d+ bytes, the limit of a login$/),
    });
  });

  it('cannot end the watches of others with invented tokens', async () => {
    const stop = new AbortController();
    const watch = await plain(`${JOBS}?watch=1`, { authorization: 'Bearer ada' }, { signal: stop.signal });
    const reading = watch.text().then(
      () => 'ended',
      () => (stop.signal.aborted ? 'left' : 'broken'),
    );
    // More than the connections that the console keeps, all at the same time.
    const statuses = await Promise.all(
      Array.from({ length: 130 }, async (_, at) => (await plain(JOBS, { authorization: `Bearer no-${at}` })).status),
    );
    expect(new Set(statuses)).toEqual(new Set([401]));
    stop.abort();
    expect(await reading).toBe('left');
  });

  it('who send garbage instead of HTTP are disconnected, and the console lives', async () => {
    const socket = connect(fixture.console.port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write('\u0000\u0001GARBAGE\r\n\r\n');
    socket.resume();
    await once(socket, 'close');
    expect((await fixture.request('/healthz')).status).toBe(200);
  });
});
