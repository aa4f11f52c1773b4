import { type Socket, connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { failureCounts } from '@manta/base';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type PodBehindProxies, startPodBehindProxies } from './pod-behind-proxies.ts';
import { createRandom, type Random } from './support/random.ts';

/** Requests to each of the four ways to pods: `MANTA_FUZZ_EACH` chooses how many, `MANTA_FUZZ_SEED` repeats a run. */
const EACH = Number(process.env['MANTA_FUZZ_EACH'] ?? 25_000);
const SEED = Number(process.env['MANTA_FUZZ_SEED'] ?? 20_261_118);
/** Requests that share a connection: most of them are cut off before. */
const PER_CONNECTION = 20;
const AT_ONCE = 64;
const MEBIBYTE = 1024 * 1024;

let pod: PodBehindProxies;
let client: { readonly open: Set<Socket> };
beforeAll(async () => {
  pod = await startPodBehindProxies();
  client = { open: new Set() };
});
afterAll(() => pod.stop());

const METHODS = ['GET', 'POST', 'CONNECT', 'OPTIONS', 'HEAD', 'PUT', 'DELETE', 'TRACE', 'PRI', 'get', 'G\u0000T', ''];
const VERSIONS = ['HTTP/1.1', 'HTTP/1.1', 'HTTP/1.1', 'HTTP/1.0', 'HTTP/2.0', 'HTTP/0.9', 'HTTP/9', ''];
const HOSTS = [
  '127.0.0.1',
  'a.b.svc',
  '[::1]',
  '[::ffff:127.0.0.1]',
  '[',
  'localhost',
  '%00',
  'x'.repeat(300),
  '',
  '0',
  '-',
];
const PORTS = ['', ':80', ':0', ':99999', ':NaN', ':-1', ':', ':1e3', ':8:9'];
const PIECES = [
  '/',
  '//',
  '/..',
  '/%2e%2e',
  '/%',
  '/%zz',
  '/%00',
  '/a b',
  '/é',
  '?',
  '?a=%',
  '#',
  '\\',
  '/\u007f',
  ';',
  '@',
  '/x',
];
const HEADERS = [
  'host: x',
  'host: y',
  'content-length: 3',
  'content-length: -1',
  'content-length: 99999999999999999999',
  'transfer-encoding: chunked',
  'transfer-encoding: gzip, chunked',
  'connection: close',
  'connection: upgrade, x-a',
  'upgrade: websocket',
  'upgrade: SPDY/3.1',
  'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==',
  'sec-websocket-version: 13',
  'sec-websocket-protocol: v4.channel.k8s.io',
  'sec-websocket-protocol: SPDY/3.1+portforward.k8s.io',
  'expect: 100-continue',
  'te: trailers',
  'proxy-connection: keep-alive',
  'proxy-authorization: Basic x',
  'x-a: \u0001',
  'x-long: '.padEnd(9000, 'y'),
  ': empty',
  'no colon',
  'accept-encoding: gzip',
];
const BODIES = ['', 'abc', '3\r\nabc\r\n0\r\n\r\n', 'zz\r\n', '\u0000\u0001\u0002', '\r\n\r\n', 'x'.repeat(2000)];
/** What the pod answers: valid answers, broken ones, and none. */
const ANSWERS = [
  'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok',
  'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n',
  'HTTP/1.1 600 X\r\n\r\n',
  'HTTP/1.1 099 X\r\n\r\n',
  'HTTP/1.1 101 X\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n\u0001',
  'HTTP/1.1 204 No\r\ncontent-length: 5\r\n\r\nhello',
  'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz',
  'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nshort',
  'HTTP/1.1 302 F\r\nlocation: \u00ff\r\nset-cookie: a\r\nset-cookie: b\r\n\r\n',
  'HTTP/1.1 100 C\r\n\r\nHTTP/1.1 103 E\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n',
  '\u0000\u0001\u0002',
  'HTTP/1.1 200 OK\r\nx\u0001: y\r\n\r\n',
  '',
];

const bytesOf = (random: Random, length: number) => Buffer.from(Array.from({ length }, () => random.below(256)));
const target = (random: Random) =>
  `${random.pick(HOSTS)}${random.chance(0.5) ? `:${pod.podPort}` : random.pick(PORTS)}`;
const path = (random: Random) => Array.from({ length: random.below(4) }, () => random.pick(PIECES)).join('');

function requestTo(random: Random, line: (method: string) => string): string {
  const method = random.pick(METHODS);
  const headers = Array.from({ length: random.below(5) }, () => random.pick(HEADERS));
  const known = random.chance(0.5) ? ['host: x'] : [];
  const text = [
    `${method} ${line(method)} ${random.pick(VERSIONS)}`,
    ...known,
    'authorization: Bearer admin',
    ...headers,
  ];
  return `${text.join('\r\n')}\r\n\r\n${random.chance(0.4) ? random.pick(BODIES) : ''}`;
}

const viaProxy = (random: Random) =>
  requestTo(random, (method) => (method === 'CONNECT' ? target(random) : `http://${target(random)}${path(random)}`));
const WAYS: Readonly<
  Record<string, { readonly port: () => number; readonly isSecure: boolean; next(random: Random): string }>
> = {
  'the service proxy': { port: () => pod.serviceProxyPort, isSecure: false, next: viaProxy },
  'the egress proxy': { port: () => pod.egressPort, isSecure: false, next: viaProxy },
  'pods/proxy': {
    port: () => pod.engine.server.port,
    isSecure: true,
    next: (random) => requestTo(random, () => `${pod.proxyPath}${path(random)}`),
  },
  'pods/portforward': {
    port: () => pod.engine.server.port,
    isSecure: true,
    next: (random) =>
      requestTo(
        random,
        () => `${pod.forwardPath}?ports=${random.pick(['80', '0', 'x', '80,81', '99999', '-1', '%00'])}`,
      ),
  },
};

/** One connection with some requests, of which the server reads as many as it wants; resolves when it is over. */
function visit(
  port: number,
  isSecure: boolean,
  requests: readonly (string | Buffer)[],
  isPatient: boolean,
): Promise<void> {
  const at = { port, host: '127.0.0.1' };
  const socket = isSecure ? connectTls({ ...at, rejectUnauthorized: false }) : connect(at);
  client.open.add(socket);
  return new Promise((resolve) => {
    socket.on('error', () => undefined).resume();
    socket.once('close', () => {
      client.open.delete(socket);
      resolve();
    });
    for (const request of requests) socket.write(request, 'latin1');
    // An impatient client leaves in the middle of whatever is under way.
    if (!isPatient) setTimeout(() => socket.destroy(), 5);
    else socket.end();
    socket.setTimeout(100, () => socket.destroy());
  });
}

async function fuzz(name: string, random: Random): Promise<void> {
  const way = WAYS[name];
  if (way === undefined) throw new Error(name);
  let left = EACH;
  const worker = async () => {
    while (left > 0) {
      const count = Math.min(PER_CONNECTION, left);
      left -= count;
      const requests = Array.from({ length: count }, () =>
        random.chance(0.02) ? bytesOf(random, random.below(200)) : way.next(random),
      );
      await visit(way.port(), way.isSecure, requests, random.chance(0.7));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

function heapAfterCollection(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

describe(`fuzzed requests (seed ${SEED})`, () => {
  it.each(Object.keys(WAYS))(
    `end nothing at %s: it serves afterwards, no socket is left`,
    async (name) => {
      const random = createRandom(SEED + name.length);
      pod.onConnection = (socket) => {
        const answer = random.pick(ANSWERS);
        socket.once('end', () => socket.end());
        socket.once('data', () => {
          if (random.chance(0.1)) socket.resetAndDestroy();
          else socket.end(answer, 'latin1');
        });
      };
      const failures = [...failureCounts()];
      await fuzz(name, random);
      await vi.waitFor(() => expect(pod.openConnections()).toBe(0), { timeout: 20_000 });
      await vi.waitFor(() => expect(client.open.size).toBe(0), { timeout: 20_000 });
      expect([...failureCounts()]).toEqual(failures);
      expect(pod.engine.internalErrors).toEqual([]);
    },
    60_000,
  );

  it('leaves memory at its level', async () => {
    const random = createRandom(SEED);
    const rounds: number[] = [];
    for (let round = 0; round < 3; round += 1) {
      for (const name of Object.keys(WAYS)) await fuzzBriefly(name, random);
      rounds.push(heapAfterCollection());
    }
    expect((rounds.at(-1) ?? 0) - (rounds[0] ?? 0)).toBeLessThan(32 * MEBIBYTE);
  });
});

/** A short round, to compare the memory after one with that after the next. */
async function fuzzBriefly(name: string, random: Random): Promise<void> {
  const way = WAYS[name];
  if (way === undefined) return;
  for (let n = 0; n < 20; n += 1) {
    const requests = Array.from({ length: PER_CONNECTION }, () => way.next(random));
    await visit(way.port(), way.isSecure, requests, true);
  }
}
