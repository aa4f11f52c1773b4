import { connect as connectPlain } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import type { Dice } from './dice.ts';
import type { Credentials } from './http2-sender.ts';
import { type FuzzRequest, fuzzRequest } from './requests.ts';
import { oddText } from './texts.ts';
import { damaged } from './values.ts';

/** The bytes of a request over HTTP/1.1, the way a careless or hostile client writes them. */
export function requestBytes(dice: Dice, { method, path, headers, body }: FuzzRequest): Buffer {
  const version = dice.oneIn(40) ? dice.pick(['HTTP/1.0', 'HTTP/2.0', 'HTTP/9.9', 'ICY']) : 'HTTP/1.1';
  const lines = [
    `${method} ${path} ${version}`,
    'host: engine',
    ...Object.entries(headers).map(([key, value]) => `${key}: ${value}`),
  ];
  if (dice.oneIn(30))
    lines.push(
      dice.pick(['host: other', 'no colon', ': empty', `x-${oddText(dice)}: y`, ' folded', 'expect: 100-continue']),
    );
  const bytes = dice.oneIn(4) ? chunked(dice, lines, body) : sized(dice, lines, body);
  return dice.oneIn(20) ? damaged(dice, bytes) : bytes;
}

function sized(dice: Dice, lines: readonly string[], body: Buffer): Buffer {
  const length = dice.oneIn(40)
    ? dice.pick(['-1', 'x', '1e3', String(body.length + 5), '99999999999'])
    : String(body.length);
  return Buffer.concat([
    Buffer.from(`${[...lines, `content-length: ${length}`].join('\r\n')}\r\n\r\n`, 'latin1'),
    body,
  ]);
}

function chunked(dice: Dice, lines: readonly string[], body: Buffer): Buffer {
  const coding = dice.oneIn(20) ? dice.pick(['gzip, chunked', 'chunked, chunked', 'identity', 'xchunked']) : 'chunked';
  const size = dice.oneIn(20) ? dice.pick(['zz', 'ffffffffff', '-1', '']) : body.length.toString(16);
  const head = `${[...lines, `transfer-encoding: ${coding}`].join('\r\n')}\r\n\r\n`;
  const chunk = body.length === 0 ? [] : [Buffer.from(`${size}\r\n`), body, Buffer.from('\r\n')];
  return Buffer.concat([Buffer.from(head, 'latin1'), ...chunk, Buffer.from('0\r\n\r\n')]);
}

/** A request to leave HTTP for another protocol. */
export function upgradeBytes(dice: Dice): Buffer {
  const target = dice.pick([
    '/api/v1/namespaces/fuzz-0/pods/n1/exec?command=x&stdin=true',
    '/api/v1/namespaces/fuzz-0/pods/n1/portforward?ports=80',
    '/api/v1/namespaces/fuzz-0/pods/n1/proxy/',
    '/api/v1/namespaces/fuzz-0/pods?watch=1&timeoutSeconds=1',
    '/healthz',
    `/${encodeURIComponent(oddText(dice).toWellFormed())}`,
  ]);
  const protocol = dice.pick([
    'websocket',
    'SPDY/3.1',
    'h2c',
    'tcp',
    oddText(dice).replaceAll(/[^\u0021-\u007e]/g, ''),
  ]);
  const key = dice.oneIn(3) ? oddText(dice).replaceAll(/[^\u0021-\u007e]/g, '') : 'dGhlIHNhbXBsZSBub25jZQ==';
  const lines = [
    `${dice.pick(['GET', 'GET', 'POST'])} ${target} HTTP/1.1`,
    'host: engine',
    'connection: Upgrade',
    `upgrade: ${protocol}`,
    `sec-websocket-key: ${key}`,
    `sec-websocket-version: ${dice.pick(['13', '8', 'x'])}`,
    `sec-websocket-protocol: ${dice.pick(['v5.channel.k8s.io', 'v4.channel.k8s.io', 'x'])}`,
  ];
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), dice.bytes(dice.roll(40))]);
}

/** How one connection ends. */
type Ending = 'end' | 'destroy';

/** Sends pieces over one TLS connection and reads until the server is silent or ends it; some clients do not wait. */
export function sendRaw(credentials: Credentials, pieces: readonly Buffer[], ending: Ending): Promise<void> {
  const { url, ...tls } = credentials;
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket: TLSSocket = connect({ host: hostname, port: Number(port), ALPNProtocols: ['http/1.1'], ...tls });
    const quiet = setTimeout(() => socket.destroy(), 2_000);
    let silence: NodeJS.Timeout | undefined;
    const finish = () => (ending === 'end' ? socket.end() : socket.destroy());
    socket.on('secureConnect', () => {
      for (const piece of pieces) socket.write(piece);
      silence = setTimeout(finish, ending === 'end' ? 40 : 1);
    });
    socket.on('data', () => silence?.refresh());
    socket.on('end', () => socket.destroy());
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      clearTimeout(quiet);
      clearTimeout(silence);
      resolve();
    });
  });
}

/** Sends bytes without TLS: plain HTTP, a piece of a handshake, noise. */
export function sendPlain(dice: Dice, { url }: Credentials): Promise<void> {
  const { hostname, port } = new URL(url);
  const bytes = dice.pick([
    Buffer.from('GET / HTTP/1.1\r\nhost: engine\r\n\r\n'),
    Buffer.from([0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3]),
    dice.bytes(1 + dice.roll(100)),
  ]);
  return new Promise((resolve) => {
    const socket = connectPlain(Number(port), hostname, () => {
      socket.write(bytes);
      setTimeout(() => socket.destroy(), 5);
    });
    socket.on('data', () => undefined);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => resolve());
  });
}

/** Some requests for one connection, one after the other without waiting for answers. */
export function pipelined(dice: Dice, count: number): readonly Buffer[] {
  return Array.from({ length: count }, () => requestBytes(dice, fuzzRequest(dice)));
}
