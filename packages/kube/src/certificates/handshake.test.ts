import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer, type TLSSocket } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import { createCertificateAuthority, openCertificateAuthority } from './authority.ts';

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

/** What a client with these trust settings experiences when it connects to a server with this certificate. */
async function handshake(
  server: { cert: string; key: string },
  client: { ca: string; servername: string; cert?: string; key?: string },
) {
  const listener = createServer({ ...server, ca: client.ca, requestCert: true, rejectUnauthorized: false });
  const peer = new Promise<TLSSocket>((resolve) => listener.once('secureConnection', resolve));
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const address = listener.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  const socket = connect({ port: address.port, host: '127.0.0.1', ...client });
  cleanups.push(() => {
    socket.destroy();
    listener.close();
  });
  await once(socket, 'secureConnect');
  const accepted = await peer;
  cleanups.push(() => accepted.destroy());
  return { authorized: accepted.authorized, subject: accepted.getPeerCertificate().subject };
}

describe('a certificate authority of our own', () => {
  const ca = createCertificateAuthority();
  const server = ca.issue({
    commonName: 'server',
    dnsNames: ['api.test'],
    ips: ['127.0.0.1', 'fd00::1:2'],
    usages: ['server'],
  });

  it('is an authority, and what it issues is not', () => {
    expect(new X509Certificate(ca.cert).ca).toBe(true);
    expect(new X509Certificate(server.cert).ca).toBe(false);
    expect(new X509Certificate(server.cert).verify(new X509Certificate(ca.cert).publicKey)).toBe(true);
  });

  it('writes names, addresses, usages and validity into a certificate', () => {
    const notBefore = new Date('2020-01-02T03:04:05Z');
    const notAfter = new Date('2055-06-07T08:09:10Z');
    const made = new X509Certificate(
      ca.issue({ commonName: 'ünï', organizations: ['a', 'b'], notBefore, notAfter, usages: ['client'] }).cert,
    );
    expect(made.subject.split('\n')).toEqual(['O=a', 'O=b', 'CN=ünï']);
    expect(made.validFromDate).toEqual(notBefore);
    expect(made.validToDate).toEqual(notAfter);
    expect(made.keyUsage).toEqual(['1.3.6.1.5.5.7.3.2']);
    const alternatives = new X509Certificate(server.cert);
    expect(alternatives.checkHost('api.test')).toBe('api.test');
    expect(alternatives.checkIP('127.0.0.1')).toBe('127.0.0.1');
    expect(alternatives.checkIP('fd00::1:2')).toBe('fd00::1:2');
    expect(alternatives.checkIP('127.0.0.2')).toBeUndefined();
  });

  it('serves a handshake in which both sides trust each other', async () => {
    const client = ca.issue({ commonName: 'ada', organizations: ['team'], usages: ['client'] });
    const seen = await handshake(server, { ca: ca.cert, servername: 'api.test', cert: client.cert, key: client.key });
    expect(seen.authorized).toBe(true);
    expect({ ...seen.subject }).toEqual({ O: 'team', CN: 'ada' });
  });

  it('issues certificates that are refused where they are expired, name another host or come from another authority', async () => {
    const expired = ca.issue({ commonName: 'late', dnsNames: ['api.test'], notAfter: new Date(Date.now() - 1000) });
    const trust = { ca: ca.cert, servername: 'api.test' };
    await expect(handshake(expired, trust)).rejects.toMatchObject({ code: 'CERT_HAS_EXPIRED' });
    await expect(handshake(server, { ...trust, servername: 'other.test' })).rejects.toMatchObject({
      code: 'ERR_TLS_CERT_ALTNAME_INVALID',
    });
    const stranger = createCertificateAuthority('stranger');
    await expect(handshake(server, { ...trust, ca: stranger.cert })).rejects.toThrow(/unable to (get|verify)/);
  });

  it('can be opened again from its key pair by another process', () => {
    const again = openCertificateAuthority(ca).issue({ commonName: 'x' });
    const made = new X509Certificate(again.cert);
    expect(made.checkIssued(new X509Certificate(ca.cert))).toBe(true);
    expect(made.verify(new X509Certificate(ca.cert).publicKey)).toBe(true);
  });
});
