import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type TLSSocket } from 'node:tls';
import { createCertificateAuthority } from '@manta/kube/testing';
import { createMetricsRegistry, silentLogger } from '@manta/runtime';
import { FakeClock } from '@manta/runtime/testing';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { watchCertificate } from './certificate.ts';
import { startWebhookServer, type WebhookServer } from './server.ts';

const authority = createCertificateAuthority();
const issue = (commonName: string) => authority.issue({ commonName, ips: ['127.0.0.1'] });
let server: WebhookServer;

beforeEach(async () => {
  const metrics = createMetricsRegistry();
  server = await startWebhookServer({
    port: 0,
    host: '127.0.0.1',
    certificate: issue('first'),
    log: silentLogger,
    metrics,
  });
});
afterEach(() => server.close());

interface Answer {
  readonly status: number;
  readonly body: string;
  readonly servedBy: string;
}

function send(path: string, body: string, headers: Record<string, string> = {}, method = 'POST'): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port: server.port, path, method, ca: authority.cert, agent: false };
    const sent = request({ ...options, headers: { 'content-type': 'application/json', ...headers } }, (response) => {
      const servedBy = String((response.socket as TLSSocket).getPeerCertificate().subject.CN);
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: text, servedBy }));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

const RAYJOB = '/validate-ray-io-v1-rayjob';
const review = JSON.stringify({
  apiVersion: 'admission.k8s.io/v1',
  request: { uid: 'u', operation: 'CREATE', object: { metadata: { name: 'fine' }, spec: {} } },
});

it('answers a review over TLS', async () => {
  const { status, body } = await send(RAYJOB, review);
  expect(status).toBe(200);
  expect(JSON.parse(body).response).toEqual({ uid: 'u', allowed: true });
});

it.each([
  ['an unknown path', '/validate-ray-io-v1-raycronjob', review, {}, 'POST', 404],
  ['a GET', RAYJOB, '', {}, 'GET', 405],
  ['another kind of body', RAYJOB, review, { 'content-type': 'text/plain' }, 'POST', 415],
])('refuses %s', async (_, path, body, headers, method, status) => {
  expect((await send(path, body, headers, method)).status).toBe(status);
  expect((await send(RAYJOB, review)).status).toBe(200);
});

it('stops reading a body that is too long, and goes on serving', async () => {
  // The connection may be cut before the answer is read.
  const answer = await send(RAYJOB, 'x'.repeat(9 * 1024 * 1024)).catch(() => ({ status: 413 }));
  expect(answer.status).toBe(413);
  expect((await send(RAYJOB, review)).status).toBe(200);
});

it('serves a renewed certificate to new connections', async () => {
  expect((await send(RAYJOB, review)).servedBy).toBe('first');
  server.renew(issue('second'));
  expect((await send(RAYJOB, review)).servedBy).toBe('second');
});

it('waits for a certificate that is not there yet, and passes on each new one that fits its key', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'manta-webhook-'));
  const clock = new FakeClock();
  const stop = new AbortController();
  const seen: string[] = [];
  const complaints: string[] = [];
  const log = { ...silentLogger, error: (_: string, error: unknown) => void complaints.push(String(error)) };
  const put = (commonName: string) => {
    const { cert, key } = issue(commonName);
    writeFileSync(join(folder, 'tls.crt'), cert);
    writeFileSync(join(folder, 'tls.key'), key);
    return cert;
  };
  const nextLook = async (check: () => void) =>
    vi.waitFor(async () => {
      await clock.advance(10_000);
      check();
    });
  const watching = watchCertificate(
    { folder, clock, log, metrics: createMetricsRegistry(), onCertificate: ({ cert }) => void seen.push(cert) },
    stop.signal,
  );
  try {
    await nextLook(() => expect(complaints).toHaveLength(1));
    expect(complaints[0]).toContain('tls.crt is missing: mount the webhook');
    const first = put('first');
    await nextLook(() => expect(seen).toEqual([first]));
    writeFileSync(join(folder, 'tls.crt'), issue('of another key').cert);
    await nextLook(() => expect(complaints.at(-1)).toContain('cannot be used together'));
    expect(seen).toEqual([first]);
    const second = put('second');
    await nextLook(() => expect(seen).toEqual([first, second]));
  } finally {
    stop.abort();
    await clock.advance(10_000);
    await watching;
    rmSync(folder, { recursive: true, force: true });
  }
});

it('says once, with the file and the remedy, that a certificate has expired while it was served; a new one ends that', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'manta-webhook-'));
  const clock = new FakeClock(Date.parse('2026-03-01T00:00:00Z'));
  const stop = new AbortController();
  const warnings: string[] = [];
  const log = { ...silentLogger, warn: (message: string) => void warnings.push(message) };
  const put = (notAfter: string) => {
    const { cert, key } = authority.issue({ commonName: 'a', notAfter: new Date(notAfter) });
    writeFileSync(join(folder, 'tls.crt'), cert);
    writeFileSync(join(folder, 'tls.key'), key);
  };
  put('2026-03-01T00:01:00Z');
  let seen = 0;
  const options = { folder, clock, log, metrics: createMetricsRegistry(), onCertificate: () => void (seen += 1) };
  const watching = watchCertificate(options, stop.signal);
  try {
    await vi.waitFor(() => expect(seen).toBe(1));
    expect(warnings).toEqual([]);
    await vi.waitFor(async () => {
      await clock.advance(10_000);
      expect(warnings).toHaveLength(1);
    });
    expect(warnings[0]).toContain(`${join(folder, 'tls.crt')} has expired`);
    expect(warnings[0]).toContain('renew it');
    put('2027-03-01T00:00:00Z');
    await vi.waitFor(async () => {
      await clock.advance(10_000);
      expect(seen).toBe(2);
    });
    expect(warnings).toHaveLength(1);
  } finally {
    stop.abort();
    await clock.advance(10_000);
    await watching;
    rmSync(folder, { recursive: true, force: true });
  }
});

it('speaks TLS 1.2 and 1.3, nothing older', async () => {
  const tried = (maxVersion: 'TLSv1.1' | 'TLSv1.2' | 'TLSv1.3') =>
    new Promise<string>((resolve) => {
      const options = { host: '127.0.0.1', port: server.port, ca: authority.cert, ciphers: 'ALL:@SECLEVEL=0' };
      const socket = connect({ ...options, minVersion: 'TLSv1', maxVersion }, () => {
        resolve(socket.getProtocol() ?? '');
        socket.destroy();
      });
      socket.on('error', (error) => resolve(`refused: ${error.message}`));
    });
  expect(await tried('TLSv1.3')).toBe('TLSv1.3');
  expect(await tried('TLSv1.2')).toBe('TLSv1.2');
  expect(await tried('TLSv1.1')).toMatch(/^refused/);
});
