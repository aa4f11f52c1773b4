import { describe, expect, onTestFinished, test } from 'vitest';
import { TransportError } from '../api-error.ts';
import { systemClock } from '../clock.ts';
import {
  answer,
  dropBeforeAnswer,
  eventually,
  FaultServer,
  type FaultServerOptions,
  hang,
  ManualClock,
  truncatedBody,
} from '../testing/index.ts';
import { collectBody, type TransportResponse } from './transport.ts';
import { createTransport, type TransportOptions } from './create-transport.ts';

const textOf = async (response: TransportResponse) => Buffer.from(await collectBody(response.body)).toString();

async function start(options: FaultServerOptions, transport: Partial<TransportOptions> = {}) {
  const server = await FaultServer.start(options);
  const made = createTransport({ connection: server.connection(), clock: systemClock, ...transport });
  onTestFinished(async () => {
    await made.close();
    await server.close();
  });
  return { server, transport: made };
}

const who = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

async function* fiftyParts() {
  for (let i = 0; i < 50; i++) {
    await Promise.resolve();
    yield Buffer.alloc(10_000, String(i % 10));
  }
}

async function* brokenSource() {
  yield Buffer.from('a');
  await Promise.resolve();
  throw new Error('disk gone');
}

describe.each(['h2', 'h1', 'plain'] as const)('over %s', (protocol) => {
  test('a request arrives as it was sent, and so does its answer', async () => {
    const { server, transport } = await start({ protocol }, { userAgent: 'manta/test' });
    server.script(answer(201, { made: 'ü' }, { 'x-note': 'hello' }));
    const response = await transport.send({
      method: 'POST',
      path: '/api/v1/things?dryRun=All',
      headers: { 'content-type': 'application/json', 'impersonate-group': ['a', 'b'] },
      body: '{"name":"ü"}',
    });
    expect(response.status).toBe(201);
    expect(response.headers['x-note']).toBe('hello');
    expect(await textOf(response)).toBe('{"made":"ü"}');
    const [seen] = server.requests;
    expect(seen).toMatchObject({ method: 'POST', path: '/api/v1/things?dryRun=All', body: '{"name":"ü"}' });
    expect(seen?.headers).toMatchObject({ 'user-agent': 'manta/test', 'content-type': 'application/json' });
    expect(String(seen?.headers['impersonate-group'])).toMatch(/^a, ?b$/);
  });

  test('a DELETE may carry a body, a GET carries none', async () => {
    const { server, transport } = await start({ protocol });
    await textOf(await transport.send({ method: 'DELETE', path: '/x', body: '{"a":1}' }));
    await textOf(await transport.send({ method: 'GET', path: '/y' }));
    expect(server.requests.map((seen) => [seen.method, seen.body])).toEqual([
      ['DELETE', '{"a":1}'],
      ['GET', ''],
    ]);
  });

  test('one connection serves one request after the other', async () => {
    const { server, transport } = await start({ protocol });
    for (let i = 0; i < 5; i++) await textOf(await transport.send({ method: 'GET', path: `/${i}` }));
    expect(server.requests).toHaveLength(5);
    expect(server.wire.connectionCount).toBe(1);
  });

  test('a path prefix in the address goes in front of every path', async () => {
    const server = await FaultServer.start({ protocol });
    const connection = server.connection();
    const prefixed = { ...connection, server: new URL(`${connection.server.origin}/k8s/clusters/c-1/`) };
    const transport = createTransport({ connection: prefixed, clock: systemClock });
    onTestFinished(async () => {
      await transport.close();
      await server.close();
    });
    await textOf(await transport.send({ method: 'GET', path: '/version' }));
    expect(server.requests[0]?.path).toBe('/k8s/clusters/c-1/version');
  });

  test('a large body comes through whole, chunk by chunk, and a slow reader makes the server wait', async () => {
    const { server, transport } = await start({ protocol });
    const block = Buffer.alloc(64 * 1024, 'x');
    let sent = 0;
    server.script((exchange) => {
      exchange.begin(200);
      const more = () => {
        while (sent < 400) {
          sent++;
          if (!exchange.write(block)) {
            exchange.whenDrained(more);
            return;
          }
        }
        exchange.end();
      };
      more();
    });
    const response = await transport.send({ method: 'GET', path: '/big' });
    await new Promise((resolve) => setTimeout(resolve, 200));
    const sentBeforeReading = sent;
    expect(sentBeforeReading).toBeLessThan(400);
    let received = 0;
    for await (const chunk of response.body) received += chunk.length;
    expect(received).toBe(400 * block.length);
  });

  test('a streamed upload is sent as it is produced', async () => {
    const { server, transport } = await start({ protocol });
    await textOf(await transport.send({ method: 'POST', path: '/up', body: fiftyParts() }));
    expect(server.requests[0]?.body.length).toBe(500_000);
  });

  test('an upload whose source fails ends the request with that error', async () => {
    const { transport } = await start({ protocol });
    await expect(transport.send({ method: 'POST', path: '/up', body: brokenSource() })).rejects.toThrow('disk gone');
  });

  test('ending the reading early cancels the request on the server', async () => {
    const { server, transport } = await start({ protocol });
    let wasCancelled = false;
    server.script((exchange) => {
      exchange.begin(200);
      exchange.write('one\n');
      exchange.whenClosed(() => {
        wasCancelled = true;
      });
    });
    const response = await transport.send({ method: 'GET', path: '/watch' });
    for await (const chunk of response.body) {
      expect(Buffer.from(chunk).toString()).toBe('one\n');
      break;
    }
    await eventually(() => wasCancelled);
  });

  test('an aborted signal ends the wait for an answer with its reason', async () => {
    const { server, transport } = await start({ protocol });
    server.script(hang);
    const controller = new AbortController();
    const sent = transport.send({ method: 'GET', path: '/slow', signal: controller.signal });
    await eventually(() => server.requests.length === 1);
    controller.abort(new Error('no longer wanted'));
    await expect(sent).rejects.toThrow('no longer wanted');
  });

  test('an aborted signal ends a body that is being read', async () => {
    const { server, transport } = await start({ protocol });
    server.script((exchange) => {
      exchange.begin(200);
      exchange.write('one\n');
    });
    const controller = new AbortController();
    const response = await transport.send({ method: 'GET', path: '/watch', signal: controller.signal });
    const read = (async () => {
      for await (const _ of response.body) controller.abort(new Error('enough'));
    })();
    await expect(read).rejects.toThrow('enough');
  });

  test('a signal that was aborted before means that nothing is sent', async () => {
    const { server, transport } = await start({ protocol });
    const sent = transport.send({ method: 'GET', path: '/x', signal: AbortSignal.abort(new Error('stop')) });
    await expect(sent).rejects.toThrow('stop');
    expect(server.requests).toHaveLength(0);
  });

  test('a call that gets no answer ends at its timeout, and the error names the server and the call', async () => {
    const clock = new ManualClock();
    const { server, transport } = await start({ protocol }, { clock });
    server.script(hang);
    const sent = transport.send({ method: 'POST', path: '/slow', body: '{}', timeoutMs: 3000 });
    sent.catch(() => undefined);
    await eventually(() => server.requests.length === 1);
    clock.advance(3000);
    await expect(sent).rejects.toThrow(`127.0.0.1:${server.wire.port} did not answer POST /slow within 3 s`);
  });

  test('the timeout of a unary call covers its body, that of a stream does not', async () => {
    const clock = new ManualClock();
    const { server, transport } = await start({ protocol }, { clock });
    server.otherwise((exchange) => {
      exchange.begin(200);
      exchange.write('{');
    });
    const unary = await transport.send({ method: 'GET', path: '/a', timeoutMs: 1000, kind: 'unary' });
    const stream = await transport.send({ method: 'GET', path: '/b', timeoutMs: 1000 });
    const whole = collectBody(unary.body);
    whole.catch(() => undefined);
    clock.advance(1000);
    await expect(whole).rejects.toThrow('within 1 s');
    const chunks = stream.body[Symbol.asyncIterator]();
    expect(Buffer.from((await chunks.next()).value ?? []).toString()).toBe('{');
    await chunks.return?.();
  });

  test('a GET whose connection broke is sent again, a POST is not', async () => {
    const { server, transport } = await start({ protocol });
    server.script(dropBeforeAnswer);
    expect((await transport.send({ method: 'GET', path: '/a' })).status).toBe(200);
    server.script(dropBeforeAnswer);
    const posted = transport.send({ method: 'POST', path: '/b', body: '{}' });
    await expect(posted).rejects.toThrow(/broke off before it answered to POST \/b/);
    await expect(posted).rejects.toMatchObject({ name: 'TransportError', wasNeverSent: false });
    expect(server.requests.map((seen) => seen.path)).toEqual(['/a', '/a', '/b']);
  });

  test('a GET is not sent for ever', async () => {
    const { server, transport } = await start({ protocol });
    server.otherwise(dropBeforeAnswer);
    await expect(transport.send({ method: 'GET', path: '/a' })).rejects.toThrow(TransportError);
    expect(server.requests).toHaveLength(3);
  });

  test('a body that ends in the middle is an error, never a short body', async () => {
    const { server, transport } = await start({ protocol });
    server.script(truncatedBody('cut'));
    const response = await transport.send({ method: 'GET', path: '/a' });
    await expect(textOf(response)).rejects.toThrow(/in the middle of its answer \(after 11 bytes\) to GET \/a/);
  });

  test('429 and 503 with Retry-After are sent again after that time, whatever the method', async () => {
    const clock = new ManualClock();
    const { server, transport } = await start({ protocol }, { clock });
    server.script(
      answer(429, {}, { 'retry-after': '2' }),
      answer(503, {}, { 'retry-after': new Date(clock.now() + 5000).toUTCString() }),
    );
    const sent = transport.send({ method: 'POST', path: '/a', body: '{"n":1}', timeoutMs: 30_000 });
    await eventually(() => clock.pendingDelaysMs().includes(2000));
    expect(server.requests).toHaveLength(1);
    clock.advance(2000);
    await eventually(() => clock.pendingDelaysMs().includes(3000));
    clock.advance(3000);
    expect((await sent).status).toBe(200);
    expect(server.requests.map((seen) => seen.body)).toEqual(['{"n":1}', '{"n":1}', '{"n":1}']);
    expect(server.wire.connectionCount).toBe(1);
  });

  test('an answer that asks for more patience than the call has is handed out as it is', async () => {
    const { server, transport } = await start({ protocol });
    server.script(answer(429, {}, { 'retry-after': '31' }));
    const response = await transport.send({ method: 'GET', path: '/a', timeoutMs: 30_000, kind: 'unary' });
    expect(response.status).toBe(429);
    await textOf(response);
  });

  test('429 without Retry-After, and 500, are answers', async () => {
    const { server, transport } = await start({ protocol });
    server.script(answer(429), answer(500, {}, { 'retry-after': '1' }));
    for (const status of [429, 500]) {
      const response = await transport.send({ method: 'GET', path: '/a' });
      expect(response.status).toBe(status);
      await textOf(response);
    }
  });

  test('a call that takes every answer is sent once, and gets its body as it arrives', async () => {
    const { server, transport } = await start({ protocol });
    for (const status of [401, 429, 503]) {
      server.script((exchange) => {
        exchange.begin(status, { 'retry-after': '0' });
        exchange.write('endless');
      });
      const response = await transport.send({ method: 'POST', path: '/a', body: '{}', takesEveryAnswer: true });
      expect(response.status).toBe(status);
      const reader = response.body[Symbol.asyncIterator]();
      expect(Buffer.from((await reader.next()).value ?? []).toString()).toBe('endless');
      await reader.return?.();
    }
    expect(server.requests).toHaveLength(3);
  });

  test('the wait for Retry-After ends when the signal is aborted', async () => {
    const clock = new ManualClock();
    const { server, transport } = await start({ protocol }, { clock });
    server.script(answer(429, {}, { 'retry-after': '2' }));
    const controller = new AbortController();
    const sent = transport.send({ method: 'GET', path: '/a', signal: controller.signal });
    sent.catch(() => undefined);
    await eventually(() => clock.pendingDelaysMs().includes(2000));
    controller.abort(new Error('shutting down'));
    await expect(sent).rejects.toThrow('shutting down');
  });

  test('a rotated token: 401 drops the old one and the request goes out once more with the new', async () => {
    const server = await FaultServer.start({ protocol });
    let token = 'old';
    const rejected: unknown[] = [];
    let current = who(token);
    const transport = createTransport({
      clock: systemClock,
      connection: server.connection({
        credentials: () => Promise.resolve(current),
        invalidateCredentials: (credentials) => {
          rejected.push(credentials);
          token = 'new';
          current = who(token);
        },
      }),
    });
    onTestFinished(async () => {
      await transport.close();
      await server.close();
    });
    server.otherwise((exchange) => exchange.json(exchange.headers['authorization'] === 'Bearer new' ? 200 : 401, {}));
    const response = await transport.send({ method: 'PATCH', path: '/a', body: '{}' });
    expect(response.status).toBe(200);
    expect(rejected).toEqual([who('old')]);
    expect(server.requests.map((seen) => seen.headers['authorization'])).toEqual(['Bearer old', 'Bearer new']);
  });

  test('a second 401 is the answer', async () => {
    const { server, transport } = await start({ protocol });
    server.otherwise(answer(401));
    expect((await transport.send({ method: 'GET', path: '/a' })).status).toBe(401);
    expect(server.requests).toHaveLength(2);
  });

  test('closing ends what is under way and refuses what comes after', async () => {
    const { server, transport } = await start({ protocol });
    server.script(hang);
    const sent = transport.send({ method: 'GET', path: '/a' });
    sent.catch(() => undefined);
    await eventually(() => server.requests.length === 1);
    await transport.close();
    await expect(sent).rejects.toThrow('was closed by us');
    await expect(transport.send({ method: 'GET', path: '/b' })).rejects.toThrow('was closed by us');
  });

  test('the observer hears of every call once: code, bytes, retries', async () => {
    const heard: string[] = [];
    const observer = {
      requestDone: (event: { method: string; code: string; requestBytes: number; responseBytes: number }) =>
        heard.push(`${event.method} ${event.code} ${event.requestBytes} ${event.responseBytes}`),
      requestRetried: (event: { method: string; code: string }) => heard.push(`retry ${event.method} ${event.code}`),
      rateLimited: () => undefined,
      hostResolved: () => undefined,
    };
    const { server, transport } = await start({ protocol }, { observer });
    server.script(answer(429, {}, { 'retry-after': '0' }), answer(200, { ok: true }), answer(200), dropBeforeAnswer);
    await textOf(await transport.send({ method: 'PUT', path: '/a', body: 'üü', kind: 'unary' }));
    await textOf(await transport.send({ method: 'GET', path: '/b' }));
    await transport.send({ method: 'POST', path: '/c', body: 'x', kind: 'unary' }).catch(() => undefined);
    expect(heard).toEqual(['retry PUT 429', 'PUT 200 4 11', 'GET 200 0 0', 'POST <error> 1 0']);
  });

  test('nothing is left of a call when it is over', async () => {
    const clock = new ManualClock();
    const { transport } = await start({ protocol }, { clock });
    await textOf(await transport.send({ method: 'GET', path: '/a', timeoutMs: 12_345, kind: 'unary' }));
    expect(clock.pendingDelaysMs()).not.toContain(12_345);
  });
});
