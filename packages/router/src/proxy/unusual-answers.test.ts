import { once } from 'node:events';
import { connect } from 'node:http2';
import { afterEach, expect, it } from 'vitest';
import { ask } from '../testing/ask.ts';
import { backendOf, tableOf } from '../testing/backends.ts';
import { createParts } from '../testing/parts.ts';

const parts = createParts();
afterEach(() => parts.close());

/** A proxy before a pod that answers every request with these bytes. */
async function answering(answer: string): Promise<number> {
  const { proxy, port } = await parts.proxy();
  const pod = await parts.tcpBackend((socket) => socket.on('data', () => socket.write(answer, 'latin1')));
  proxy.setTable(tableOf([backendOf('d/a:1', 1, pod)]));
  return port;
}

async function askHttp2(port: number) {
  const session = connect(`http://127.0.0.1:${port}`);
  session.on('error', () => undefined);
  parts.also(() => session.destroy());
  const stream = session.request({ ':path': '/' });
  let trailers = {};
  stream.on('trailers', (fields) => (trailers = fields));
  const [headers] = await once(stream, 'response');
  let body = '';
  for await (const chunk of stream) body += String(chunk);
  return { status: headers[':status'], headers, trailers, body };
}

const CHUNKED = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n';

it('an answer that promises trailers and has a length is passed on', async () => {
  const port = await answering('HTTP/1.1 200 OK\r\nTrailer: x\r\ncontent-length: 2\r\n\r\nok');
  const answer = await ask(port);
  expect(answer).toMatchObject({ status: 200, body: 'ok' });
  expect(answer.headers.trailer).toBeUndefined();
});

it('an answer that promises trailers and has them is passed on with them', async () => {
  const port = await answering(`${CHUNKED}Trailer: x\r\n\r\n2\r\nok\r\n0\r\nx: 1\r\n\r\n`);
  expect(await ask(port)).toMatchObject({ body: 'ok', trailers: { x: '1' } });
});

it.each([
  ['two dates', 'HTTP/1.1 200 OK\r\ndate: a\r\ndate: b\r\ncontent-length: 2\r\n\r\nok', { status: 200, body: 'ok' }],
  [
    'a status that HTTP/2 does not know',
    'HTTP/1.1 999 Odd\r\ncontent-length: 2\r\n\r\nok',
    { status: 502, body: expect.stringContaining('d/a:1 gave an answer that cannot be passed on') },
  ],
  [
    'trailers for the next hop only',
    `${CHUNKED}\r\n2\r\nok\r\n0\r\nconnection: x\r\ntransfer-encoding: y\r\nz: 1\r\n\r\n`,
    { body: 'ok', trailers: { z: '1' } },
  ],
  ['a trailer twice', `${CHUNKED}\r\n2\r\nok\r\n0\r\netag: 1\r\netag: 2\r\n\r\n`, { status: 200, body: 'ok' }],
])('an answer with %s reaches clients of HTTP/2', async (_, answer, expected) => {
  expect(await askHttp2(await answering(answer))).toMatchObject(expected);
});
