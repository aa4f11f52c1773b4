import { X509Certificate } from 'node:crypto';
import { createServer, connect as tlsConnect } from 'node:tls';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { createCertificateAuthority, openCertificateAuthority, renewCertificateAuthority } from './authority.ts';

const authority = createCertificateAuthority();

test('an issued certificate says what was asked and is signed by the authority', () => {
  const notAfter = new Date('2060-01-02T03:04:05Z');
  const issued = authority.issue({
    commonName: 'alice',
    organizations: ['system:masters', 'ops'],
    dnsNames: ['api.test'],
    ips: ['127.0.0.1', '::1', 'fd00::12:1'],
    notAfter,
  });
  const certificate = new X509Certificate(issued.cert);
  expect(certificate.subject.split('\n')).toEqual(['O=system:masters', 'O=ops', 'CN=alice']);
  expect(certificate.subjectAltName).toBe(
    'DNS:api.test, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1, IP Address:FD00:0:0:0:0:0:12:1',
  );
  expect(certificate.validToDate).toEqual(notAfter);
  expect(certificate.checkIssued(new X509Certificate(authority.cert))).toBe(true);
  expect(certificate.verify(new X509Certificate(authority.cert).publicKey)).toBe(true);
  expect(certificate.ca).toBe(false);
  expect(new X509Certificate(authority.cert).ca).toBe(true);
});

test('a TLS client that trusts the authority accepts the server, and the server accepts the client', async () => {
  const server = createServer({
    ...authority.issue({ commonName: 'server', ips: ['127.0.0.1'] }),
    ca: authority.cert,
    requestCert: true,
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const accepted = once(server, 'secureConnection');
  const client = tlsConnect({
    port: (server.address() as AddressInfo).port,
    host: '127.0.0.1',
    ca: authority.cert,
    ...authority.issue({ commonName: 'bob' }),
  });
  await once(client, 'secureConnect');
  const [socket] = await accepted;
  expect(client.authorized).toBe(true);
  expect(socket.authorized).toBe(true);
  expect(socket.getPeerCertificate().subject.CN).toBe('bob');
  client.destroy();
  server.close();
});

test('an authority that was kept goes on issuing what its certificate proves', () => {
  const again = openCertificateAuthority(authority);
  const issued = new X509Certificate(again.issue({ commonName: 'later', dnsNames: ['a.b.svc'] }).cert);
  expect(issued.checkIssued(new X509Certificate(authority.cert))).toBe(true);
  expect(issued.verify(new X509Certificate(authority.cert).publicKey)).toBe(true);
  expect(issued.checkHost('a.b.svc')).toBe('a.b.svc');
});

test('a key that belongs to another certificate opens no authority', () => {
  const { key } = createCertificateAuthority();
  expect(() => openCertificateAuthority({ cert: authority.cert, key })).toThrow('not that of the certificate');
});

test('a renewed authority and the one it was take each other for the same', () => {
  const before = createCertificateAuthority('keeper', { notAfter: new Date(Date.now() + 60_000) });
  const after = renewCertificateAuthority(before);
  const [old, renewed] = [new X509Certificate(before.cert), new X509Certificate(after.cert)];
  expect(renewed.validToDate.getTime()).toBeGreaterThan(old.validToDate.getTime());
  const leaves = [before, after].map((each) => new X509Certificate(each.issue({ commonName: 'leaf' }).cert));
  for (const leaf of leaves) for (const ca of [old, renewed]) expect(leaf.checkIssued(ca)).toBe(true);
});
