import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { Agent, request } from 'node:https';
import { connect } from 'node:net';
import { connect as connectTls, type ConnectionOptions, type TLSSocket } from 'node:tls';
import { createCertificateAuthority } from '@manta/kube';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { ask } from '../testing/ask.ts';
import { backendOf, type TestBackend, tableOf } from '../testing/backends.ts';
import { createParts } from '../testing/parts.ts';
import { certificateProblem } from './certificates.ts';
import type { HostCertificate, RouteTable } from './route-table.ts';

const parts = createParts();
afterEach(() => parts.close());

const authority = createCertificateAuthority();
const { cert: ca } = authority;
const issue = (name: string) => authority.issue({ commonName: name, dnsNames: [name] });

/** A certificate for this host name, issued to `name`. */
function certificateFor(hostname: string | undefined, name = hostname ?? 'fallback'): HostCertificate {
  const { cert, key } = issue(name);
  return { hostname, certs: [cert], keys: [key] };
}

/** Everything goes to this backend, but only for clients with TLS. */
function secureTable(backend: TestBackend, certificates: readonly HostCertificate[]): RouteTable {
  const { gateways } = tableOf([backendOf('d/a:1', 1, backend)]);
  return { gateways: [], secure: { gateways, certificates } };
}

const echo = () =>
  parts.backend(
    ({ headers }, response) => void response.end(`${String(headers['x-forwarded-proto'])} ${headers.host}`),
    0,
    (server) => {
      new WebSocketServer({ server }).on('connection', (socket, opening) =>
        socket.send(String(opening.headers['x-forwarded-proto'])),
      );
    },
  );

function askTls(port: number, host: string, agent: Agent | false = false): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { host };
    const asked = request({ host: '127.0.0.1', port, servername: host, ca, headers, agent }, (response) => {
      let body = '';
      response.on('data', (chunk) => (body += String(chunk)));
      response.on('end', () => resolve(body));
    });
    asked.on('error', reject);
    asked.end();
  });
}

/** Whose certificate a client gets, or `refused`. */
async function issuedTo(port: number, options: ConnectionOptions): Promise<string> {
  const socket: TLSSocket = connectTls({
    host: '127.0.0.1',
    port,
    ca,
    checkServerIdentity: () => undefined,
    ...options,
  });
  parts.also(() => void socket.destroy());
  try {
    await once(socket, 'secureConnect');
    return String(socket.getPeerCertificate().subject.CN);
  } catch {
    return 'refused';
  }
}

describe('a client with TLS', () => {
  it('is served where one without is, by HTTP/1.1, and each has routes of its own', async () => {
    const { proxy, port } = await parts.proxy();
    const plain = await parts.says('plain');
    const table = secureTable(await echo(), [certificateFor('a.example')]);
    proxy.setTable(table);
    expect(await askTls(port, 'a.example')).toBe('https a.example');
    expect((await ask(port, { headers: { host: 'a.example' } })).status).toBe(404);
    proxy.setTable({ ...table, gateways: tableOf([backendOf('d/b:1', 1, plain)], { key: 'd/plain/0' }).gateways });
    expect((await ask(port)).body).toBe('plain');
    expect(await askTls(port, 'a.example')).toBe('https a.example');
  });

  it('is served by HTTP/2 where it knows it', async () => {
    const { proxy, port } = await parts.proxy();
    proxy.setTable(secureTable(await echo(), [certificateFor('a.example')]));
    const session = connectHttp2(`https://127.0.0.1:${port}`, { ca, servername: 'a.example' });
    parts.also(() => session.destroy());
    const stream = session.request({ ':path': '/', ':authority': 'a.example' });
    let body = '';
    for await (const chunk of stream) body += String(chunk);
    expect(body).toBe('https a.example');
  });

  it('opens WebSockets', async () => {
    const { proxy, port } = await parts.proxy();
    proxy.setTable(secureTable(await echo(), [certificateFor(undefined)]));
    const socket = new WebSocket(`wss://127.0.0.1:${port}/`, {
      ca,
      rejectUnauthorized: false,
      headers: { host: 'a.example' },
    });
    parts.also(() => socket.terminate());
    const [message] = await once(socket, 'message');
    expect(String(message)).toBe('https');
  });

  it('may send its handshake in pieces, and is let go where it says something else', async () => {
    const { proxy, port } = await parts.proxy();
    proxy.setTable(secureTable(await echo(), [certificateFor(undefined)]));
    const socket = connect(port, '127.0.0.1');
    parts.also(() => void socket.destroy());
    socket.write(Buffer.from([0x16, 3, 1]));
    await new Promise((resolve) => setImmediate(resolve));
    socket.end('this is no handshake');
    await once(socket.resume(), 'close');
    expect(await askTls(port, 'fallback')).toBe('https fallback');
  });
});

describe('the certificate that a client gets', () => {
  it('is that of the name it asks for, of the longest pattern, or the one for all', async () => {
    const { proxy, port } = await parts.proxy();
    proxy.setTable(
      secureTable(await echo(), [
        certificateFor('*.example', 'wide'),
        certificateFor('*.b.example', 'narrow'),
        certificateFor('A.example', 'exact'),
        certificateFor('a.example', 'second'),
        certificateFor(undefined),
      ]),
    );
    const names = ['a.example', 'c.example', 'x.b.example', 'y.x.b.example', 'elsewhere.org'];
    const got = [];
    for (const servername of names) got.push(await issuedTo(port, { servername }));
    expect(got).toEqual(['exact', 'wide', 'narrow', 'narrow', 'fallback']);
    expect(await issuedTo(port, {})).toBe('fallback');
  });

  it('is none where nobody is meant: the handshake ends', async () => {
    const { proxy, port } = await parts.proxy();
    proxy.setTable(secureTable(await echo(), [certificateFor('a.example')]));
    expect(await issuedTo(port, { servername: 'b.example' })).toBe('refused');
    expect(await issuedTo(port, {})).toBe('refused');
    proxy.setTable({ gateways: [] });
    expect(await issuedTo(port, { servername: 'a.example' })).toBe('refused');
  });

  it('is never given over a version before 1.2', async () => {
    const { proxy, port } = await parts.proxy();
    proxy.setTable(secureTable(await echo(), [certificateFor('a.example'), certificateFor(undefined)]));
    const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const;
    expect(await issuedTo(port, { servername: 'a.example', ...old })).toBe('refused');
    expect(await issuedTo(port, old)).toBe('refused');
    expect(await issuedTo(port, { servername: 'a.example', maxVersion: 'TLSv1.2' })).toBe('a.example');
  });

  it('is the new one from the next connection on; those that are open go on', async () => {
    const { proxy, port } = await parts.proxy();
    const backend = await echo();
    proxy.setTable(secureTable(backend, [certificateFor('a.example', 'old'), certificateFor(undefined, 'old')]));
    const agent = new Agent({ keepAlive: true, maxSockets: 1, checkServerIdentity: () => undefined });
    parts.also(() => agent.destroy());
    expect(await askTls(port, 'a.example', agent)).toBe('https a.example');
    const [held] = Object.values(agent.freeSockets).flatMap((sockets) => sockets ?? []);
    proxy.setTable(secureTable(backend, [certificateFor('a.example', 'new'), certificateFor(undefined, 'new')]));
    expect(await issuedTo(port, { servername: 'a.example' })).toBe('new');
    expect(await issuedTo(port, {})).toBe('new');
    expect(await askTls(port, 'a.example', agent)).toBe('https a.example');
    expect(held?.destroyed).toBe(false);
  });
});

it('a certificate that cannot be used is told of', () => {
  const [a, b] = [issue('a'), issue('b')];
  expect(certificateProblem(a.cert, a.key)).toBeUndefined();
  expect(certificateProblem(a.cert, b.key)).toMatch(/key values mismatch/);
  expect(certificateProblem('nonsense', a.key)).toMatch(/no start line/);
  expect(certificateProblem(a.cert, '')).toBeDefined();
});
