import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type PodBehindProxies, startPodBehindProxies, talk } from './pod-behind-proxies.ts';

let pod: PodBehindProxies;
beforeAll(async () => {
  pod = await startPodBehindProxies();
  pod.answerWith('HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\nok');
});
afterAll(() => pod.stop());

const connectTo = (target: string) => `CONNECT ${target} HTTP/1.1\r\nhost: x\r\n\r\n`;
const BAD_TARGETS = [
  'a:NaN',
  'a:-1',
  'a:99999',
  'a:1e3',
  'a:',
  'a',
  '2001:db8::1:443',
  '[2001:db8::1]',
  '[2001:db8::1]:x',
  '[nonsense]:1',
  'http://a/',
  '/',
  '*',
];

describe.each(['egressPort', 'serviceProxyPort'] as const)('CONNECT at the %s', (door) => {
  it.each(BAD_TARGETS)('answers 400 to the target %s and goes on serving', async (target) => {
    expect(await talk(pod[door], connectTo(target))).toMatch(/^HTTP\/1\.1 400 /);
    expect(
      await talk(pod[door], `GET http://127.0.0.1:${pod.podPort}/ HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`),
    ).toContain('ok');
  });
});

describe('the egress proxy', () => {
  it('reads the port of an IPv6 target: an address that it may not reach is answered with 403', async () => {
    expect(await talk(pod.egressPort, connectTo('[2001:db8::1]:443'))).toMatch(/^HTTP\/1\.1 403 /);
  });

  it('answers 502 for an IPv6 target where nothing listens', async () => {
    expect(await talk(pod.egressPort, connectTo('[::1]:1'))).toMatch(/^HTTP\/1\.1 502 /);
  });

  it.each(['http://a:0/', 'http://[::1/', 'https://a/', 'ftp://a/', 'http:///', '/etc/passwd', '*'])(
    'answers 400 to a plain request for %s',
    async (target) => {
      expect(await talk(pod.egressPort, `GET ${target} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`)).toMatch(
        /^HTTP\/1\.1 400 /,
      );
    },
  );
});
