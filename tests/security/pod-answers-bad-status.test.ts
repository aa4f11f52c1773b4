import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { request as requestTls } from 'node:https';
import { text } from 'node:stream/consumers';
import { failureCounts } from '@manta/base';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type PodBehindProxies, startPodBehindProxies, talk } from './pod-behind-proxies.ts';

let pod: PodBehindProxies;
beforeAll(async () => {
  pod = await startPodBehindProxies();
});
afterAll(() => pod.stop());

/** Each way through the engine to a pod's HTTP port; resolves with the status that the client sees, 0 for a broken connection. */
const WAYS: Readonly<Record<string, () => Promise<number>>> = {
  'the service proxy': () => viaProxy(pod.serviceProxyPort),
  'the egress proxy': () => viaProxy(pod.egressPort),
  'pods/proxy over HTTP/1.1': async () => {
    const { port } = pod.engine.server;
    const headers = { authorization: 'Bearer admin' };
    const asked = requestTls({ port, path: `${pod.proxyPath}/x`, headers, rejectUnauthorized: false }).end();
    try {
      const [answer] = await once(asked, 'response');
      await text(answer);
      return answer.statusCode;
    } catch {
      return 0;
    }
  },
  'pods/proxy over HTTP/2': async () => {
    const session = connectHttp2(pod.engine.url, { rejectUnauthorized: false });
    const stream = session.request({ ':path': `${pod.proxyPath}/x`, authorization: 'Bearer admin' });
    try {
      const [headers] = await once(stream, 'response');
      await text(stream);
      return headers[':status'];
    } catch {
      return 0;
    } finally {
      session.destroy();
    }
  },
};

async function viaProxy(port: number): Promise<number> {
  const target = `http://127.0.0.1:${pod.podPort}/x`;
  const heard = await talk(port, `GET ${target} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);
  return Number(/^HTTP\/1\.1 (\d+)/.exec(heard)?.[1] ?? 0);
}

const BAD_ANSWERS: Readonly<Record<string, string>> = {
  'a status of 600': 'HTTP/1.1 600 X\r\ncontent-length: 0\r\n\r\n',
  'a status of 999': 'HTTP/1.1 999 X\r\ncontent-length: 0\r\n\r\n',
  'a status of 099': 'HTTP/1.1 099 X\r\ncontent-length: 0\r\n\r\n',
  'a status of 000': 'HTTP/1.1 000 X\r\ncontent-length: 0\r\n\r\n',
  'an upgrade that was not requested': 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n',
  'bytes that are not HTTP': '\x00\x01\x02 nonsense\r\n\r\n',
  nothing: '',
  'a header with a control character': 'HTTP/1.1 200 OK\r\nx: a\x01b\r\ncontent-length: 0\r\n\r\n',
  'both a length and chunks': 'HTTP/1.1 200 OK\r\ncontent-length: 3\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
};

describe.each(Object.entries(WAYS))('a pod behind %s', (_, send) => {
  it.each(Object.entries(BAD_ANSWERS))(
    'may answer with %s: the client sees an error, no process ends',
    async (_name, answer) => {
      const before = failureCounts();
      pod.answerWith(answer);
      expect([0, 502, 503]).toContain(await send());
      pod.answerWith('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok');
      expect(await send()).toBe(200);
      // Refused where it is read, not by the last resort.
      expect(failureCounts()).toEqual(before);
    },
  );

  it('may send headers of one connection, which are not passed on', async () => {
    pod.answerWith(
      'HTTP/1.1 200 OK\r\nhttp2-settings: x\r\nproxy-connection: x\r\nkeep-alive: x\r\nconnection: x-own\r\nx-own: 1\r\nset-cookie: a=1\r\nset-cookie: b=2\r\ncontent-length: 2\r\n\r\nok',
    );
    expect(await send()).toBe(200);
  });
});
