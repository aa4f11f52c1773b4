import { frame, sized } from '../../../packages/router/src/testing/http2-frames.ts';
import type { Random } from '../support/random.ts';

/** One message that a client sends, and whether the connection is of use after it. */
export interface Message {
  readonly bytes: Buffer;
  readonly requests: number;
}

const METHODS = ['GET', 'GET', 'GET', 'POST', 'PUT', 'HEAD', 'OPTIONS', 'DELETE', 'TRACE', 'PATCH', 'PROPFIND'];
const PATHS = [
  '/',
  '/a/b?c=d',
  '/re/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!',
  '/a/../../b',
  '/%2e%2e/x',
  '/%zz',
  '//x//',
  '/a\\b',
  '/h2/x',
  '/h2/y',
  '/?',
  '/\u00e9',
  `/${'p'.repeat(3_000)}`,
];
const FIELDS = [
  'x-a: b',
  'X-Forwarded-For: 6.6.6.6',
  'connection: keep-alive, x-a',
  'connection: content-length',
  'te: trailers',
  'expect: 100-continue',
  'cookie: a=b; c',
  'accept: */*',
  'x-empty:',
  'x-latin: \u00ff\u00e9',
  'upgrade: h2c',
  'content-type: application/grpc',
  'range: bytes=0-',
  'forwarded: for=x',
  `x-long: ${'l'.repeat(4_000)}`,
];
const BROKEN: readonly string[] = [
  'GET / HTTP/1.1\r\nhost: a\r\nhost: b\r\n\r\n',
  'GET / HTTP/1.1\r\n\r\n',
  'GET / HTTP/9.9\r\nhost: h\r\n\r\n',
  'GET /#f HTTP/1.1\r\nhost: h\r\n\r\n',
  'GET http:// HTTP/1.1\r\nhost: h\r\n\r\n',
  'GET http://u@h/ HTTP/1.1\r\nhost: h\r\n\r\n',
  'CONNECT h:443 HTTP/1.1\r\nhost: h\r\n\r\n',
  'GET * HTTP/1.1\r\nhost: h\r\n\r\n',
  'GET / HTTP/1.1\r\nhost: a/b\r\n\r\n',
  'POST / HTTP/1.1\r\nhost: h\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\nGET /smuggled HTTP/1.1\r\nhost: h\r\n\r\n',
  'POST / HTTP/1.1\r\nhost: h\r\ncontent-length: 5\r\ncontent-length: 6\r\n\r\nhello!',
  'POST / HTTP/1.1\r\nhost: h\r\ncontent-length: +5\r\n\r\nhello',
  'POST / HTTP/1.1\r\nhost: h\r\ntransfer-encoding: gzip, chunked\r\n\r\n0\r\n\r\n',
  'POST / HTTP/1.1\r\nhost: h\r\ntransfer-encoding: xchunked\r\n\r\n0\r\n\r\n',
  'POST / HTTP/1.1\r\nhost: h\r\ntransfer-encoding:\tchunked\r\n\r\nzz\r\n',
  'POST / HTTP/1.1\r\nhost: h\r\ntransfer-encoding: chunked\r\n\r\n5;x=y\r\nhello\r\n0\r\nx-t: 1\r\n\r\n',
  'POST / HTTP/1.1\r\nhost: h\r\ncontent-length: 1000\r\n\r\nbroken off',
  'POST / HTTP/1.0\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
  'GET / HTTP/1.1\nhost: h\n\n',
  'GET / HTTP/1.1\r\nhost : h\r\n\r\n',
  'GET / HTTP/1.1\r\nhost: h\r\n x: folded\r\n\r\n',
  'GET / HTTP/1.1\r\nhost: h\r\nx\u0000y: z\r\n\r\n',
  `GET / HTTP/1.1\r\nhost: h\r\nx: ${'a'.repeat(20_000)}\r\n\r\n`,
  `GET / HTTP/1.1\r\nhost: h\r\n${'a: b\r\n'.repeat(3_000)}\r\n`,
  '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003garbage',
  'PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n',
  'PRI * HT',
  'GET / HTTP/1.1\r\nho',
];

/** Some requests that the router has to serve or to refuse one by one, then one after which the connection is of no use. */
export function http1Messages(random: Random): Message {
  const count = 1 + random.below(30);
  let text = '';
  for (let i = 0; i < count; i += 1) text += oddRequest(random);
  const isBroken = random.chance(0.5);
  if (isBroken) text += random.chance(0.8) ? random.pick(BROKEN) : mutated(oddRequest(random), random);
  return { bytes: Buffer.from(text, 'latin1'), requests: count + Number(isBroken) };
}

/** The opening of a WebSocket, and what a client may say on it. */
export function webSocketMessages(random: Random): Message {
  const target = random.pick(['/', '/ws', 'http://other/ws', '/h2/ws', '*', 'ws', '/a/../b']);
  const extra = random.pick([
    '',
    'content-length: 5\r\n',
    'transfer-encoding: chunked\r\n',
    'host: two\r\n',
    'x: y\r\n',
  ]);
  const method = random.pick(['GET', 'GET', 'GET', 'POST']);
  const text = `${method} ${target} HTTP/1.1\r\nhost: h\r\nconnection: Upgrade\r\nupgrade: websocket\r\n${extra}\r\n`;
  return { bytes: Buffer.from(text + random.bytes(random.below(60)), 'latin1'), requests: 1 };
}

/** Streams over HTTP/2, most of them requests, and frames that have no place there. */
export function http2Messages(random: Random): Message {
  const frames = [Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), frame(4, 0, 0, '')];
  const count = 1 + random.below(30);
  for (let i = 0; i < count; i += 1) {
    const stream = 1 + 2 * i;
    const hasBody = random.chance(0.2);
    frames.push(frame(1, hasBody ? 4 : 5, stream, fields(random)));
    if (hasBody) frames.push(frame(0, random.below(2), stream, random.bytes(random.below(100))));
    if (random.chance(0.1)) frames.push(frame(3, 0, stream, `\0\0\0${String.fromCharCode(random.below(14))}`));
    if (random.chance(0.05)) frames.push(frame(8, 0, stream, '\0\0\u0010\0'));
  }
  if (random.chance(0.3))
    frames.push(frame(random.below(12), random.below(256), random.below(2 * count), random.bytes(random.below(30))));
  return { bytes: Buffer.concat(frames), requests: count };
}

function oddRequest(random: Random): string {
  const method = random.pick(METHODS);
  const path = random.chance(0.1) ? `http://other.example${random.pick(PATHS)}` : random.pick(PATHS);
  let head = `${method} ${path} HTTP/1.1\r\nhost: ${random.pick(['h', 'shop.example.com:80', '[::1]:80', ''])}\r\n`;
  for (let i = random.below(4); i > 0; i -= 1) head += `${random.pick(FIELDS)}\r\n`;
  if (method !== 'POST' && method !== 'PUT') return `${head}\r\n`;
  if (random.chance(0.5)) return `${head}content-length: 5\r\n\r\nhello`;
  return `${head}transfer-encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nx-trailer: 1\r\n\r\n`;
}

function mutated(text: string, random: Random): string {
  const at = random.below(text.length);
  return text.slice(0, at) + random.bytes(1 + random.below(4)) + text.slice(at + random.below(4));
}

function fields(random: Random): string {
  const pairs: [string, string][] = [
    [':method', random.pick(METHODS)],
    [':path', random.pick(PATHS.slice(0, -1))],
    [':scheme', 'http'],
    [':authority', random.pick(['h', 'a/b', ''])],
  ];
  if (random.chance(0.1)) pairs.splice(random.below(4), 1);
  if (random.chance(0.1)) pairs.push(['host', 'other']);
  if (random.chance(0.1)) pairs.push(['connection', 'close']);
  if (random.chance(0.1)) pairs.push(['te', 'gzip']);
  if (random.chance(0.3)) pairs.push(['cookie', 'a=b'], ['cookie', 'c=d']);
  if (random.chance(0.05)) pairs.push(['Upper', random.bytes(3)]);
  return pairs.map(([name, value]) => `\0${sized(name)}${sized(value)}`).join('');
}
