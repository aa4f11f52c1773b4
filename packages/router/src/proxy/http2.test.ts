import { once } from 'node:events';
import { type ClientHttp2Session, connect, constants, type OutgoingHttpHeaders } from 'node:http2';
import { afterEach, describe, expect, it } from 'vitest';
import { ask } from '../testing/ask.ts';
import { backendOf, tableOf } from '../testing/backends.ts';
import { createParts } from '../testing/parts.ts';

const parts = createParts();
afterEach(() => parts.close());

interface Heard {
  readonly headers: Record<string, unknown>;
  readonly trailers: Record<string, unknown>;
  readonly endedAtOnce: boolean;
  readonly body: string;
}

function client(port: number): ClientHttp2Session {
  const session = connect(`http://127.0.0.1:${port}`);
  session.on('error', () => undefined);
  parts.also(() => session.destroy());
  return session;
}

async function askHttp2(session: ClientHttp2Session, headers: OutgoingHttpHeaders = {}, body?: string): Promise<Heard> {
  const stream = session.request({ ':path': '/', ...headers }, { endStream: body === undefined });
  if (body !== undefined) stream.end(body);
  let trailers = {};
  stream.on('trailers', (fields) => (trailers = fields));
  const [fields, flags] = await once(stream, 'response');
  let text = '';
  for await (const chunk of stream) text += String(chunk);
  return { headers: fields, trailers, endedAtOnce: (flags & constants.NGHTTP2_FLAG_END_STREAM) !== 0, body: text };
}

describe('a client that speaks HTTP/2', () => {
  it('is served on the same port, by a backend that speaks HTTP/1.1', async () => {
    const { proxy, port } = await parts.proxy();
    const echo = await parts.backend((incoming, response) => {
      response.setHeader('x-seen', `${incoming.method} ${incoming.url} ${incoming.headers.host}`);
      incoming.pipe(response);
    });
    proxy.setTable(tableOf([backendOf('d/a:1', 1, echo)]));
    const session = client(port);
    const heard = await askHttp2(session, { ':method': 'POST', ':path': '/v1?x', ':authority': 'gw.d' }, 'hello');
    expect(heard).toMatchObject({ body: 'hello', headers: { ':status': 200, 'x-seen': 'POST /v1?x gw.d' } });
    expect((await ask(port, { method: 'POST', body: 'old' })).body).toBe('old');
  });

  it('has many requests on one connection', async () => {
    const { proxy, port } = await parts.proxy();
    proxy.setTable(tableOf([backendOf('d/a:1', 1, await parts.says('ok'))]));
    const session = client(port);
    const all = await Promise.all(Array.from({ length: 100 }, () => askHttp2(session)));
    expect(all.filter(({ body }) => body === 'ok')).toHaveLength(100);
  });

  it('is answered where nobody wants its body', async () => {
    const { proxy, port } = await parts.proxy();
    proxy.setTable({ gateways: [] });
    const large = 'x'.repeat(3 * 1024 * 1024);
    expect(await askHttp2(client(port), { ':method': 'POST' }, large)).toMatchObject({ headers: { ':status': 404 } });
  });

  it('ends its requests when the proxy is closed', async () => {
    const { proxy, port } = await parts.proxy();
    let release = () => {};
    const arrived = new Promise<void>((resolve) => {
      void parts
        .backend((_, response) => {
          release = () => void response.end('whole');
          resolve();
        })
        .then((slow) => proxy.setTable(tableOf([backendOf('d/a:1', 1, slow)])));
    });
    const session = client(port);
    await once(session, 'connect');
    const heard = askHttp2(session);
    await arrived;
    const closing = proxy.close(60_000);
    release();
    expect((await heard).body).toBe('whole');
    await closing;
  });
});

describe('gRPC', () => {
  const grpc = { ':method': 'POST', ':path': '/pkg.Service/Call', 'content-type': 'application/grpc', te: 'trailers' };

  it('reaches the backend over HTTP/2, and its status comes back in the trailers', async () => {
    const { proxy, port } = await parts.proxy();
    const server = await parts.http2Backend((stream, headers) => {
      expect(headers.te).toBe('trailers');
      stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
      stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0', 'grpc-message': 'fine' }));
      stream.pipe(stream);
    });
    // Nobody said that this port speaks HTTP/2: gRPC says so itself.
    const address = { ...server.address, protocol: 'auto' } as const;
    proxy.setTable(tableOf([backendOf('d/a:1', 1, { address })]));
    const heard = await askHttp2(client(port), grpc, 'message');
    expect(heard).toMatchObject({ body: 'message', trailers: { 'grpc-status': '0', 'grpc-message': 'fine' } });
  });

  it('tells errors in a head that is the whole answer', async () => {
    const { proxy, port } = await parts.proxy();
    const server = await parts.http2Backend((stream) => {
      stream.respond({ ':status': 200, 'content-type': 'application/grpc', 'grpc-status': '5' }, { endStream: true });
      stream.resume();
    });
    proxy.setTable(tableOf([backendOf('d/a:1', 1, server)]));
    const heard = await askHttp2(client(port), grpc, 'message');
    expect(heard).toMatchObject({ endedAtOnce: true, headers: { 'grpc-status': '5' } });
  });
});

describe('a backend that speaks HTTP/2', () => {
  it('serves clients of HTTP/1.1', async () => {
    const { proxy, port } = await parts.proxy();
    const server = await parts.http2Backend((stream, headers) => {
      stream.respond({ ':status': 201, 'x-seen': `${headers[':method']} ${headers[':authority']}` });
      stream.pipe(stream);
    });
    proxy.setTable(tableOf([backendOf('d/a:1', 1, server)]));
    const answer = await ask(port, { method: 'PUT', headers: { host: 'gw.d' }, body: 'hello' });
    expect(answer).toMatchObject({ status: 201, body: 'hello', headers: { 'x-seen': 'PUT gw.d' } });
  });

  it('that refuses a request has it sent elsewhere, whatever its method', async () => {
    const { proxy, port } = await parts.proxy({ random: () => 0.99 });
    const busy = await parts.http2Backend((stream) => stream.close(constants.NGHTTP2_REFUSED_STREAM));
    proxy.setTable(tableOf([backendOf('d/a:1', 1, busy, await parts.says('ok'))]));
    expect(await ask(port, { method: 'POST' })).toMatchObject({ status: 200, body: 'ok' });
  });

  it('that cannot be reached has the request sent elsewhere', async () => {
    const { proxy, port } = await parts.proxy({ random: () => 0.99 });
    const gone = await parts.http2Backend(() => undefined);
    await gone.stop();
    proxy.setTable(tableOf([backendOf('d/a:1', 1, gone, await parts.says('ok'))]));
    expect(await ask(port, { method: 'POST', body: 'x' })).toMatchObject({ status: 200, body: 'ok' });
  });
});
