import { createServer, type Socket } from 'node:net';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../clock.ts';
import type { Connection } from './connection.ts';
import { createCertificateAuthority, FaultServer, ManualClock, openFaultyWire, portOf } from '../testing/index.ts';
import { createTransport, type TransportOptions } from './create-transport.ts';
import { explainConnectFailure } from './explain-connect-failure.ts';

async function failureOf(connection: Connection, options: Partial<TransportOptions> = {}): Promise<string> {
  const transport = createTransport({ connection, clock: systemClock, ...options });
  onTestFinished(() => transport.close());
  const error: unknown = await transport
    .send({ method: 'POST', path: '/x', body: '{}' })
    .catch((reason: unknown) => reason);
  expect(error).toMatchObject({ name: 'TransportError', wasNeverSent: true });
  const { message } = error as Error;
  expect(message).not.toContain('\n');
  return message.replaceAll(/127\.0\.0\.1:\d+/g, 'HOST');
}

async function faultServer(...args: Parameters<typeof FaultServer.start>): Promise<FaultServer> {
  const server = await FaultServer.start(...args);
  onTestFinished(() => server.close());
  return server;
}

test('nothing listens: the address is named, and it takes no time', async () => {
  const server = await faultServer();
  const connection = server.connection();
  await server.close();
  expect(await failureOf(connection)).toBe(
    'Nothing answers at HOST (connection refused): check that the API server is running and that the address is right',
  );
});

test('a host name that does not exist is a matter of DNS', async () => {
  const server = await faultServer();
  const connection = { ...server.connection(), server: new URL('https://no-such-host.invalid:6443') };
  expect(await failureOf(connection)).toBe(
    "The host name no-such-host.invalid of the API server no-such-host.invalid:6443 can't be resolved: check its spelling and this machine's DNS",
  );
});

test('a certificate of another authority: the kubeconfig has the wrong one', async () => {
  const server = await faultServer();
  const connection = server.connection({
    tls: { ca: createCertificateAuthority('other').cert, rejectUnauthorized: true },
  });
  expect(await failureOf(connection)).toMatch(
    /^The certificate of HOST is not signed by the certificate authority we were given \(.*\): set the right certificate-authority in the kubeconfig$/,
  );
});

test('an expired server certificate is called that', async () => {
  const authority = createCertificateAuthority();
  const certificate = authority.issue({
    commonName: 'api',
    ips: ['127.0.0.1'],
    notBefore: new Date('2020-01-01T00:00:00Z'),
    notAfter: new Date('2020-01-02T00:00:00Z'),
  });
  const server = await faultServer({ certificate });
  const connection = server.connection({ tls: { ca: authority.cert, rejectUnauthorized: true } });
  expect(await failureOf(connection)).toBe(
    "The certificate of HOST has expired: renew it on the API server, and check that this machine's clock is right",
  );
});

test('a certificate for other names lists them', async () => {
  const authority = createCertificateAuthority();
  const certificate = authority.issue({ commonName: 'api', dnsNames: ['kubernetes.default.svc'] });
  const server = await faultServer({ certificate });
  const tls = { ca: authority.cert, rejectUnauthorized: true };
  expect(await failureOf(server.connection({ tls }))).toBe(
    'The certificate of HOST is not made for the name 127.0.0.1 but for DNS:kubernetes.default.svc: use one of its names, or set tls-server-name',
  );
});

test('tls-server-name is what the certificate is checked against', async () => {
  const authority = createCertificateAuthority();
  const certificate = authority.issue({ commonName: 'api', dnsNames: ['kubernetes.default.svc'] });
  const server = await faultServer({ certificate });
  const tls = { ca: authority.cert, rejectUnauthorized: true, serverName: 'kubernetes.default.svc' };
  const transport = createTransport({ connection: server.connection({ tls }), clock: systemClock });
  onTestFinished(() => transport.close());
  expect((await transport.send({ method: 'GET', path: '/' })).status).toBe(200);
});

test('insecure-skip-tls-verify accepts any certificate', async () => {
  const server = await faultServer();
  const connection = server.connection({ tls: { rejectUnauthorized: false } });
  const transport = createTransport({ connection, clock: systemClock });
  onTestFinished(() => transport.close());
  expect((await transport.send({ method: 'GET', path: '/' })).status).toBe(200);
});

test('a server that asks for a client certificate is not called a broken connection', async () => {
  const server = await faultServer({ requireClientCertificate: true });
  expect(await failureOf(server.connection())).toBe(
    'HOST does not accept our client certificate (tlsv13 alert certificate required): renew client-certificate and client-key in the kubeconfig',
  );
});

test('a certificate that does not belong to its key is named as the thing to check', async () => {
  const server = await faultServer();
  const one = server.authority.issue({ commonName: 'one' });
  const other = server.authority.issue({ commonName: 'other' });
  const who = { headers: {}, cert: one.cert, key: other.key };
  expect(await failureOf(server.connection({ who }))).toMatch(
    /^The certificates for HOST can't be used \(.*\): check certificate-authority, client-certificate and client-key/,
  );
});

test('https to a port that speaks plain HTTP says so', async () => {
  const server = await faultServer({ protocol: 'plain' });
  const connection = server.connection();
  const https = { ...connection, server: new URL(connection.server.href.replace('http:', 'https:')) };
  expect(await failureOf(https)).toBe(
    'HOST does not speak TLS: if the API server is served without it, its address must begin with http://',
  );
});

test('a host that hangs up during the handshake points at what may be in between', async () => {
  const listener = createServer((socket) => socket.destroy());
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  onTestFinished(() => void listener.close());
  const server = await faultServer();
  const connection = { ...server.connection(), server: new URL(`https://127.0.0.1:${portOf(listener)}`) };
  expect(await failureOf(connection)).toMatch(/^HOST closed the connection before it was set up: check/);
});

test('a host that says nothing is given up after the connect timeout', async () => {
  const server = await faultServer();
  const wire = await openFaultyWire(server.wire.port);
  onTestFinished(() => wire.close());
  wire.freeze();
  const clock = new ManualClock();
  const connection = { ...server.connection(), server: new URL(`https://127.0.0.1:${wire.port}`) };
  const failure = failureOf(connection, { clock, connectTimeoutMs: 10_000 });
  while (wire.connectionCount === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  clock.advance(10_000);
  expect(await failure).toBe(
    'The API server at HOST does not answer: a firewall may drop the packets, or the address is wrong',
  );
});

test('what a proxy has to say is shown as it is', async () => {
  const server = await faultServer();
  const connection = server.connection({
    connectSocket: () => Promise.reject(new Error('The proxy http://proxy:3128 refuses to connect us (403 Forbidden)')),
  });
  expect(await failureOf(connection)).toBe('The proxy http://proxy:3128 refuses to connect us (403 Forbidden)');
});

test('credentials that can not be had are the reason of the failure, word by word', async () => {
  const server = await faultServer();
  const connection = server.connection({
    credentials: () => Promise.reject(new Error('aws-iam-authenticator: not found')),
  });
  expect(await failureOf(connection)).toBe('aws-iam-authenticator: not found');
});

test('a failed connect is not tried again within the call', async () => {
  const server = await faultServer();
  let attempts = 0;
  const connection = server.connection({
    connectSocket: () => {
      attempts++;
      return Promise.reject(Object.assign(new Error('connect EHOSTUNREACH'), { code: 'EHOSTUNREACH' }));
    },
  });
  expect(await failureOf(connection)).toBe(
    'There is no route to the API server at HOST: check the network, the VPN and the address',
  );
  expect(attempts).toBe(1);
});

test('several addresses that fail together are explained by the first', () => {
  const refused = Object.assign(new Error('connect ECONNREFUSED ::1:6443'), { code: 'ECONNREFUSED' });
  const text = explainConnectFailure(new AggregateError([refused, refused]), new URL('https://localhost:6443'));
  expect(text).toMatch(/^Nothing answers at localhost:6443/);
});

test('an unknown failure keeps its own words, in one line', () => {
  const text = explainConnectFailure(new Error('some\n  thing'), new URL('https://api:6443'));
  expect(text).toBe("Can't connect to the API server at api:6443: some thing");
});

test('closing ends a connection that is still being made, so that it does not hold the process up', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const accepted = once(server, 'connection');
  // Takes the connection and never answers to TLS; with this clock no time-out ends the wait.
  const connection: Connection = {
    server: new URL(`https://127.0.0.1:${portOf(server)}`),
    tls: { rejectUnauthorized: true },
    credentials: () => ({ headers: {} }),
    invalidateCredentials: () => undefined,
  };
  const transport = createTransport({ connection, clock: new ManualClock() });
  const sent = transport.send({ method: 'GET', path: '/x' });
  sent.catch(() => undefined);
  const [socket] = (await accepted) as [Socket];
  const ended = once(socket.on('error', () => undefined).resume(), 'close');
  await transport.close();
  await expect(sent).rejects.toThrow('was closed by us');
  await ended;
});
