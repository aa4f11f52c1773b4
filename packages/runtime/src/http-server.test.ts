import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { createHealth } from './health.ts';
import type { HttpHandler, RunningHttpServer } from './http-server.ts';
import { startHttpServer } from './http-server.ts';
import { silentLogger } from './logger.ts';
import { createMetricsHandler } from './metrics/metrics-handler.ts';
import { createMetricsRegistry } from './metrics/registry.ts';

const running: RunningHttpServer[] = [];
const start = async (handle: HttpHandler, port = 0) => {
  const address = { host: '127.0.0.1', port };
  const server = await startHttpServer({
    name: 'test server',
    flag: '--test-addr',
    address,
    handle,
    log: silentLogger,
  });
  running.push(server);
  return { server, get: (path: string, init?: RequestInit) => fetch(`http://127.0.0.1:${server.port}${path}`, init) };
};
afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.close()));
});

describe('the server', () => {
  test('answers a client that sends too much or never ends without reading on, and goes on serving', async () => {
    const { server, get } = await start(() => ({ status: 200, body: 'ok' }));
    const talk = async (text: string): Promise<string> => {
      const socket = connect(server.port, '127.0.0.1');
      let answer = '';
      socket.setEncoding('utf8').on('data', (chunk: string) => (answer += chunk));
      socket.on('error', () => undefined);
      socket.end(text);
      await new Promise((resolve) => void socket.once('close', resolve));
      return answer;
    };
    const big = 'x'.repeat(64 * 1024);
    // The connection may be cut before the answer is read.
    for (const text of [
      `GET / HTTP/1.1\r\nHost: a\r\nX-Big: ${big}\r\n\r\n`,
      `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${2 ** 40}\r\n\r\n${big}`,
      'GET / HTTP/1.1\r\nHost',
    ])
      expect(await talk(text)).not.toContain('200 OK');
    expect(await (await get('/')).text()).toBe('ok');
  });

  test('serves metrics with the content type that Prometheus expects', async () => {
    const metrics = createMetricsRegistry();
    metrics.counter('x_total', 'X.').add({ name: 'ü' });
    const { get } = await start(createMetricsHandler(metrics));
    const answer = await get('/metrics?x=1');
    expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(await answer.text()).toBe('# HELP x_total X.\n# TYPE x_total counter\nx_total{name="ü"} 1\n');
    expect((await get('/')).status).toBe(404);
    const head = await get('/metrics', { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
    expect((await get('/metrics', { method: 'POST' })).status).toBe(405);
  });

  test('a port in use is one line that names the port and the flag', async () => {
    const { server } = await start(() => undefined);
    await expect(start(() => undefined, server.port)).rejects.toThrow(
      `the test server cannot listen on 127.0.0.1:${server.port}: the port is already in use; choose another address with --test-addr`,
    );
  });

  test('a handler that throws costs its request and nothing else', async () => {
    const { get } = await start(({ path }) => {
      if (path === '/bad') throw new Error('boom');
      return { status: 200, body: path };
    });
    const bad = await get('/bad');
    expect([bad.status, await bad.text()]).toEqual([500, 'internal error; the log has the details\n']);
    expect(await (await get('/good%20one')).text()).toBe('/good one');
    expect((await get('/%zz')).status).toBe(400);
  });

  test('closing does not wait for a client that keeps its connection', async () => {
    const { server } = await start(() => ({ status: 200, body: 'ok' }));
    const socket = connect(server.port, '127.0.0.1');
    await once(socket, 'connect');
    socket.on('error', () => undefined);
    await server.close();
    await once(socket, 'close');
    expect(socket.destroyed).toBe(true);
  });
});

const setup = async () => {
  const health = createHealth();
  const { get } = await start(health.handle);
  const ask = async (path: string) => {
    const answer = await get(path);
    return [answer.status, await answer.text()];
  };
  return { health, ask };
};

describe('the probes', () => {
  test('say ok, and more when asked', async () => {
    const { health, ask } = await setup();
    expect(await ask('/healthz')).toEqual([200, 'ok']);
    expect(await ask('/readyz')).toEqual([200, 'ok']);
    health.addCheck('readyz', 'permissions', () => ({
      isOk: true,
      note: 'ingresses may not be listed\nIngress is off',
    }));
    expect(await ask('/readyz?verbose')).toEqual([
      200,
      '[+]ping ok\n[+]permissions ok: ingresses may not be listed; Ingress is off\nreadyz check passed\n',
    ]);
    expect(await ask('/healthz?verbose')).toEqual([200, '[+]ping ok\nhealthz check passed\n']);
  });

  test('name the failed check and why, without being asked', async () => {
    const { health, ask } = await setup();
    health.addCheck('readyz', 'cache', () => ({ isOk: false, reason: 'Pods are not listed yet' }));
    health.addCheck('readyz', 'odd', () => {
      throw new Error('thrown');
    });
    const lines = '[+]ping ok\n[-]cache failed: Pods are not listed yet\n[-]odd failed: thrown\nreadyz check failed\n';
    expect(await ask('/readyz')).toEqual([500, lines]);
    expect(await ask('/healthz')).toEqual([200, 'ok']);
    expect(await ask('/readyz/cache')).toEqual([500, 'internal server error: Pods are not listed yet\n']);
    expect(await ask('/readyz/ping')).toEqual([200, 'ok']);
    expect(await ask('/readyz/none')).toEqual([404, '404 page not found\n']);
    expect(await ask('/readyz/ping/more')).toEqual([404, '404 page not found\n']);
  });

  test('leave out what is excluded, and say what could not be', async () => {
    const { health, ask } = await setup();
    health.addCheck('readyz', 'cache', () => ({ isOk: false, reason: 'no' }));
    expect(await ask('/readyz?verbose&exclude=cache&exclude=what')).toEqual([
      200,
      '[+]ping ok\n[+]cache excluded: ok\nwarn: some health checks cannot be excluded: no matches for "what"\nreadyz check passed\n',
    ]);
  });
});
