import { once } from 'node:events';
import { createServer as createHttpServer, type Server as HttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { hostname, networkInterfaces } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEgress, type EgressOptions } from '../../packages/kubelet/src/network/egress.ts';
import { createAddressPolicy } from '../../packages/kubelet/src/network/refused-address.ts';
import { talk } from './pod-behind-proxies.ts';

/** A service of the machine that pods must not reach. */
let secret: HttpServer;
let reached = 0;
const doors: Server[] = [];
const portOf = (server: Server | HttpServer) => (server.address() as AddressInfo).port;
const own = Object.values(networkInterfaces()).flatMap((each) => (each ?? []).map(({ address }) => address));

beforeAll(async () => {
  secret = createHttpServer((_, response) => {
    reached += 1;
    response.end('secret');
  });
  secret.on('connect', (_, socket) => {
    reached += 1;
    socket.end('HTTP/1.1 200 OK\r\n\r\nsecret');
  });
  await once(secret.listen(0, '::'), 'listening');
});
afterAll(() => {
  for (const door of doors) door.close();
  secret.closeAllConnections();
  secret.close();
});

async function openEgress(options: Partial<EgressOptions> = {}): Promise<number> {
  const policy = createAddressPolicy({ engineRanges: ['10.244.0.0/24', '10.0.0.0/16'] });
  const egress = createServer({ allowHalfOpen: true }, createEgress({ proxyFor: () => undefined, policy, ...options }));
  doors.push(egress);
  await once(egress.listen(0, '127.0.0.1'), 'listening');
  return portOf(egress);
}

const bracketed = (host: string) => (host.includes(':') ? `[${host.split('%')[0]}]` : host);
async function attack(port: number, host: string): Promise<readonly string[]> {
  const target = `${bracketed(host)}:${portOf(secret)}`;
  return [
    await talk(
      port,
      `CONNECT ${target} HTTP/1.1\r\nhost: x\r\n\r\nGET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`,
    ),
    await talk(port, `GET http://${target}/ HTTP/1.1\r\nhost: pypi.org\r\nconnection: close\r\n\r\n`),
  ];
}

const HOSTS = [
  '127.0.0.1',
  '127.1',
  '127.9.9.9',
  '2130706433',
  '0x7f.1',
  '0177.0.0.1',
  '0.0.0.0',
  '0',
  '::1',
  '::',
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  'localhost',
  'LOCALHOST.',
  'a.localhost',
  hostname(),
  '169.254.169.254',
  '10.0.0.1',
  '10.244.0.1',
  ...own,
  ...own.filter((address) => address.includes('.')).map((address) => `::ffff:${address}`),
];

describe('a pod that asks the egress proxy for an address of the machine', () => {
  it.each(HOSTS)('does not reach %s', async (host) => {
    const port = await openEgress();
    for (const answer of await attack(port, host)) expect(answer).toMatch(/^HTTP\/1\.1 (403|502) /);
    expect(reached).toBe(0);
  });

  it('does not reach it by a name that resolves to it, not even the second time (DNS rebinding)', async () => {
    const answers = [['198.51.100.9'], ['127.0.0.1']];
    let asked = 0;
    const resolve = async () => answers[Math.min(asked++, 1)] ?? [];
    const port = await openEgress({ resolve });
    const target = `rebind.example:${portOf(secret)}`;
    // The first answer is allowed and leads nowhere; a proxy that resolves again to connect would reach the machine.
    const socket = talk(port, `GET http://${target}/ HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);
    await Promise.race([socket, new Promise((done) => setTimeout(done, 500).unref())]);
    expect(asked).toBe(1);
    expect(await talk(port, `CONNECT ${target} HTTP/1.1\r\nhost: x\r\n\r\n`)).toMatch(/^HTTP\/1\.1 403 /);
    expect(reached).toBe(0);
  });

  it('does not reach it through the machine’s own proxy either, nor that proxy itself', async () => {
    const upstream = new URL(`http://127.0.0.1:${portOf(secret)}`);
    const names: Readonly<Record<string, string>> = { 'evil.example': '127.0.0.1', 'far.example': '198.51.100.1' };
    const resolve = (name: string) =>
      names[name] === undefined ? Promise.reject(new Error('ENOTFOUND')) : Promise.resolve([names[name]]);
    const port = await openEgress({ proxyFor: () => upstream, resolve });
    for (const host of ['127.0.0.1', 'localhost', 'x.localhost', '::ffff:127.0.0.1', 'evil.example'])
      for (const answer of await attack(port, host)) expect(answer).toMatch(/^HTTP\/1\.1 403 /);
    expect(reached).toBe(0);
    // What the machine itself would ask its proxy for, pods may, too.
    for (const host of ['far.example', 'unknown.example'])
      for (const answer of await attack(port, host)) expect(answer).toContain('secret');
  });

  it('names the host, the reason and the way to allow it', async () => {
    const [answer = ''] = await attack(await openEgress(), '127.0.0.1');
    expect(answer).toContain('egress to "127.0.0.1" is refused: it is an address of the machine itself');
    expect(answer).toContain('--egress-allow');
  });

  it('reaches it if the user allowed that address', async () => {
    reached = 0;
    const policy = createAddressPolicy({ engineRanges: [], allowed: ['127.0.0.1'] });
    for (const answer of await attack(await openEgress({ policy }), '127.0.0.1')) expect(answer).toContain('secret');
  });
});

describe('the egress proxy', () => {
  it('refuses connections beyond its limit and serves again when others have ended', async () => {
    const port = await openEgress({ maxConnections: 0 });
    expect(await talk(port, 'GET http://a/ HTTP/1.1\r\n\r\n')).toMatch(/^HTTP\/1\.1 503 /);
  });
});
