import { constants } from 'node:http2';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../clock.ts';
import type { Credentials } from './connection.ts';
import {
  answer,
  createCertificateAuthority,
  eventually,
  type FaultStep,
  FaultServer,
  type FaultServerOptions,
  hang,
  ManualClock,
  refuseStream,
  truncatedBody,
} from '../testing/index.ts';
import { collectBody, type TransportResponse } from './transport.ts';
import { createTransport, type TransportOptions } from './create-transport.ts';

const textOf = async (response: TransportResponse) => Buffer.from(await collectBody(response.body)).toString();

async function start(options: FaultServerOptions = {}, transport: Partial<TransportOptions> = {}) {
  const server = await FaultServer.start(options);
  const made = createTransport({ connection: server.connection(), clock: systemClock, ...transport });
  onTestFinished(async () => {
    await made.close();
    await server.close();
  });
  return { server, transport: made };
}

const resetStream: FaultStep = (exchange) => exchange.reset();

test('GOAWAY in the middle of a burst loses no request and repeats none', async () => {
  const { server, transport } = await start();
  await textOf(await transport.send({ method: 'GET', path: '/warm-up' }));
  const held: Parameters<FaultStep>[0][] = [];
  const goodbye: FaultStep = (exchange) => {
    exchange.goaway();
    setTimeout(() => {
      for (const each of [...held, exchange]) each.json(200, { path: each.path });
    }, 20);
  };
  const hold: FaultStep = (exchange) => void held.push(exchange);
  server.script(hold, hold, hold, goodbye);
  server.otherwise((exchange) => exchange.json(200, { path: exchange.path }));
  const paths = Array.from({ length: 40 }, (_, i) => `/thing-${i}`);
  const answers = await Promise.all(
    paths.map(async (path) => await textOf(await transport.send({ method: 'POST', path, body: '{}' }))),
  );
  expect(answers).toEqual(paths.map((path) => JSON.stringify({ path })));
  const acted = server.requests.map((seen) => seen.path).filter((path) => path !== '/warm-up');
  expect(acted.toSorted()).toEqual(paths.toSorted());
  expect(server.wire.connectionCount).toBe(2);
});

test('after GOAWAY a watch goes on over the old session while new requests use a new one', async () => {
  const { server, transport } = await start();
  let watch: Parameters<FaultStep>[0] | undefined;
  server.script(
    (exchange) => {
      watch = exchange;
      exchange.begin(200);
      exchange.write('one');
    },
    (exchange) => {
      exchange.goaway();
      exchange.json(200, {});
    },
  );
  const streamed = await transport.send({ method: 'GET', path: '/watch' });
  const chunks = streamed.body[Symbol.asyncIterator]();
  await chunks.next();
  await textOf(await transport.send({ method: 'GET', path: '/last' }));
  await textOf(await transport.send({ method: 'GET', path: '/first-of-new' }));
  expect(server.wire.connectionCount).toBe(2);
  watch?.end('two');
  expect(Buffer.from((await chunks.next()).value ?? []).toString()).toBe('two');
  expect((await chunks.next()).done).toBe(true);
  await eventually(() => server.sessions.size === 1);
});

test('GOAWAY with an error: what the server had not seen is sent again, what it had seen is not', async () => {
  const { server, transport } = await start();
  await textOf(await transport.send({ method: 'GET', path: '/warm-up' }));
  server.script((exchange) => exchange.goaway(constants.NGHTTP2_ENHANCE_YOUR_CALM));
  const seen = transport.send({ method: 'POST', path: '/seen', body: '{}' });
  const unseen = transport.send({ method: 'POST', path: '/unseen', body: '{}' });
  await expect(seen).rejects.toMatchObject({ name: 'TransportError', wasNeverSent: false });
  expect((await unseen).status).toBe(200);
});

test('a refused stream is sent again, even when it creates something', async () => {
  const { server, transport } = await start();
  server.script(refuseStream, refuseStream, answer(201));
  expect((await transport.send({ method: 'POST', path: '/a', body: '{}' })).status).toBe(201);
});

test('a server that refuses every stream gets a bounded number of them', async () => {
  const { server, transport } = await start();
  server.otherwise(refuseStream);
  const sent = transport.send({ method: 'POST', path: '/a', body: '{}' });
  await expect(sent).rejects.toMatchObject({
    message: expect.stringContaining('did not take the request POST /a'),
    wasNeverSent: true,
  });
  expect(server.requests).toHaveLength(6);
});

test('RST_STREAM before the answer: a GET is sent again, a PATCH is not', async () => {
  const { server, transport } = await start();
  server.script(resetStream, answer(200), resetStream);
  expect((await transport.send({ method: 'GET', path: '/a' })).status).toBe(200);
  await expect(transport.send({ method: 'PATCH', path: '/b', body: '{}' })).rejects.toThrow(/NGHTTP2_INTERNAL_ERROR/);
  expect(server.wire.connectionCount).toBe(1);
});

test('RST_STREAM in the middle of a body is an error, also with the codes that Node keeps silent about', async () => {
  const { server, transport } = await start();
  for (const code of [constants.NGHTTP2_INTERNAL_ERROR, constants.NGHTTP2_CANCEL]) {
    server.script((exchange) => {
      exchange.begin(200);
      exchange.write('{"kind":"Po');
      setTimeout(() => exchange.reset(code), 20);
    });
    const response = await transport.send({ method: 'GET', path: '/a' });
    await expect(textOf(response)).rejects.toThrow(/in the middle of its answer/);
  }
  server.script(truncatedBody('reset'));
  await expect(textOf(await transport.send({ method: 'GET', path: '/a' }))).rejects.toThrow(/after 11 bytes/);
});

test('a body shorter than its announced length is an error', async () => {
  const { server, transport } = await start();
  server.script((exchange) => {
    exchange.begin(200, { 'content-length': '100' });
    exchange.write('short');
    setTimeout(() => exchange.reset(constants.NGHTTP2_NO_ERROR), 20);
  });
  const response = await transport.send({ method: 'GET', path: '/a' });
  await expect(textOf(response)).rejects.toThrow(/in the middle of its answer/);
});

test('a connection cut in the middle of a frame is an error for the body and no obstacle for the next request', async () => {
  const { server, transport } = await start();
  await textOf(await transport.send({ method: 'GET', path: '/warm-up' }));
  server.script((exchange) => {
    server.wire.cutAfter(20_000);
    exchange.begin(200);
    exchange.end(Buffer.alloc(200_000, 'x'));
  });
  const response = await transport.send({ method: 'GET', path: '/big' });
  await expect(textOf(response)).rejects.toThrow(/in the middle of its answer/);
  expect((await transport.send({ method: 'POST', path: '/next', body: '{}' })).status).toBe(200);
});

test('half-open: a quiet connection is pinged, and given up when no pong comes; the next request gets a new one', async () => {
  const clock = new ManualClock();
  const { server, transport } = await start({}, { clock, readIdleMs: 30_000, pingTimeoutMs: 15_000 });
  server.script((exchange) => {
    exchange.begin(200);
    exchange.write('one\n');
  });
  const watch = await transport.send({ method: 'GET', path: '/watch' });
  const chunks = watch.body[Symbol.asyncIterator]();
  await chunks.next();
  const ended = chunks.next();
  ended.catch(() => undefined);
  server.wire.freeze();
  clock.advance(32_000);
  expect(clock.pendingDelaysMs().some((delayMs) => delayMs > 10_000)).toBe(true);
  clock.advance(15_000);
  await expect(ended).rejects.toThrow(/no answer to a ping within 15 s/);
  server.wire.thaw();
  expect((await transport.send({ method: 'POST', path: '/next', body: '{}' })).status).toBe(200);
  expect(server.wire.connectionCount).toBe(2);
});

test('a quiet connection whose server answers pings stays', async () => {
  const clock = new ManualClock();
  const { server, transport } = await start({}, { clock });
  let pings = 0;
  await textOf(await transport.send({ method: 'GET', path: '/a' }));
  for (const session of server.sessions) session.on('ping', () => pings++);
  for (let i = 0; i < 3; i++) {
    clock.advance(32_000);
    // The timer of the pong's deadline is the only one longer than a second.
    await eventually(() => clock.pendingDelaysMs().every((delayMs) => delayMs <= 1000));
  }
  expect(pings).toBe(3);
  await textOf(await transport.send({ method: 'GET', path: '/b' }));
  expect(server.wire.connectionCount).toBe(1);
});

test('half-open: a call that times out has the connection checked at once', async () => {
  const clock = new ManualClock();
  const { server, transport } = await start({}, { clock });
  await textOf(await transport.send({ method: 'GET', path: '/a' }));
  server.wire.freeze();
  const sent = transport.send({ method: 'PATCH', path: '/b', body: '{}', timeoutMs: 5000 });
  sent.catch(() => undefined);
  await new Promise((resolve) => setTimeout(resolve, 10));
  clock.advance(5000);
  await expect(sent).rejects.toThrow('within 5 s');
  expect(clock.pendingDelaysMs()).toContain(15_000);
  clock.advance(15_000);
  server.wire.thaw();
  expect((await transport.send({ method: 'PATCH', path: '/c', body: '{}' })).status).toBe(200);
  expect(server.wire.connectionCount).toBe(2);
});

test('no more streams are opened than the server allows; more sessions, then patience, make up for it', async () => {
  const { server, transport } = await start({ maxConcurrentStreams: 3 }, { maxSessions: 2 });
  await textOf(await transport.send({ method: 'GET', path: '/warm-up' }));
  let open = 0;
  let mostOpen = 0;
  server.otherwise((exchange) => {
    open++;
    mostOpen = Math.max(mostOpen, open);
    setTimeout(() => {
      open--;
      exchange.json(200, {});
    }, 10);
  });
  const paths = Array.from({ length: 30 }, (_, i) => `/${i}`);
  await Promise.all(
    paths.map(async (path) => await textOf(await transport.send({ method: 'POST', path, body: '{}' }))),
  );
  expect(server.requests).toHaveLength(31);
  expect(mostOpen).toBeLessThanOrEqual(6);
  expect(mostOpen).toBeGreaterThan(3);
  expect(server.wire.connectionCount).toBe(2);
});

test('a request that waits for a free stream can be aborted', async () => {
  const { server, transport } = await start({ maxConcurrentStreams: 1 }, { maxSessions: 1 });
  await textOf(await transport.send({ method: 'GET', path: '/warm-up' }));
  server.script(hang);
  const blocking = new AbortController();
  const first = transport.send({ method: 'GET', path: '/first', signal: blocking.signal });
  await eventually(() => server.requests.length === 2);
  const controller = new AbortController();
  const second = transport.send({ method: 'GET', path: '/second', signal: controller.signal });
  second.catch(() => undefined);
  const third = transport.send({ method: 'GET', path: '/third' });
  controller.abort(new Error('gave up'));
  await expect(second).rejects.toThrow('gave up');
  blocking.abort(new Error('over'));
  await expect(first).rejects.toThrow('over');
  expect((await third).status).toBe(200);
  expect(server.requests.map((seen) => seen.path)).not.toContain('/second');
});

test('a new client certificate gets a new session; the old one serves what it is busy with', async () => {
  const authority = createCertificateAuthority();
  const server = await FaultServer.start();
  let who: Credentials = { headers: {}, ...authority.issue({ commonName: 'first' }) };
  const transport = createTransport({ clock: systemClock, connection: server.connection({ credentials: () => who }) });
  onTestFinished(async () => {
    await transport.close();
    await server.close();
  });
  server.script((exchange) => {
    exchange.begin(200);
    exchange.write('one');
    exchange.whenClosed(() => undefined);
    setTimeout(() => exchange.end('two'), 100);
  });
  const watch = await transport.send({ method: 'GET', path: '/watch' });
  who = { headers: {}, ...authority.issue({ commonName: 'second' }) };
  await textOf(await transport.send({ method: 'GET', path: '/a' }));
  expect(server.wire.connectionCount).toBe(2);
  expect(await textOf(watch)).toBe('onetwo');
  await eventually(() => server.sessions.size === 1);
});

test('an expired client certificate is named when the server says 401', async () => {
  const server = await FaultServer.start();
  const clock = new ManualClock(Date.parse('2031-01-01T00:00:00Z'));
  const issued = server.authority.issue({ commonName: 'me', notAfter: new Date('2030-06-01T00:00:00Z') });
  const connection = server.connection({ who: { headers: {}, ...issued } });
  const transport = createTransport({ clock, connection });
  onTestFinished(async () => {
    await transport.close();
    await server.close();
  });
  server.otherwise(answer(401));
  expect((await transport.send({ method: 'GET', path: '/a' })).status).toBe(401);
  expect(transport.explainUnauthorized?.()).toBe(
    'our client certificate expired at 2030-06-01T00:00:00.000Z: renew client-certificate in the kubeconfig',
  );
});
