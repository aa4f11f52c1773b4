import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { RAY_LIMITS } from '@manta/base';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { followLogs, type FollowLogsOptions } from './follow-logs.ts';
import { FakeHead } from './testing/fake-head.ts';
import { serveFakeHead, type ServedHead } from './testing/serve-fake-head.ts';

let head: FakeHead;
let served: ServedHead;
const closers: (() => unknown)[] = [];
beforeEach(async () => {
  head = new FakeHead({ now: Date.now });
  served = await serveFakeHead(head);
  closers.push(() => served.close());
});
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

const follow = (options: Partial<FollowLogsOptions> = {}) =>
  followLogs({ head: { url: served.url }, id: 'j', signal: AbortSignal.timeout(10_000), ...options });

async function all(logs: AsyncIterable<string>): Promise<string> {
  let text = '';
  for await (const part of logs) text += part;
  return text;
}

/** A WebSocket server of the test's own making. */
async function listen(onClient: (client: WebSocket, request: IncomingMessage) => void): Promise<string> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  server.on('connection', onClient);
  await once(server, 'listening');
  closers.push(() => {
    for (const client of server.clients) client.terminate();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('following the logs of a job', () => {
  test('sends the token of the cluster, and the headers of the caller', async () => {
    const seen: (string | string[] | undefined)[] = [];
    const url = await listen((client, { headers }) => {
      seen.push(headers['x-ray-authorization'], headers['x-team']);
      client.close(1000);
    });
    await all(follow({ head: { url, token: 'secret' }, headers: { 'x-team': 'vision' } }));
    expect(seen).toEqual(['Bearer secret', 'vision']);
  });

  test('gives what it prints, from the beginning until it has ended', async () => {
    head.setJob('j', { status: 'RUNNING', logs: 'one\n' });
    const parts: string[] = [];
    for await (const part of follow()) {
      parts.push(part);
      if (part.includes('one')) head.setJob('j', { logs: 'one\ntwo é\n' });
      if (part.includes('two')) head.setJob('j', { status: 'FAILED', logs: 'one\ntwo é\nthree\n' });
    }
    expect(parts).toEqual(['one\n', 'two é\n', 'three\n']);
  });

  test('of a job that ended long ago gives all of it', async () => {
    head.setJob('j', { status: 'SUCCEEDED', logs: 'x'.repeat(200_000) });
    expect(await all(follow())).toBe('x'.repeat(200_000));
  });

  test('that the head does not know fails with its answer', async () => {
    await expect(all(follow({ id: 'nope' }))).rejects.toMatchObject({
      failure: 'status',
      status: 404,
      message: 'TailJobLogs fail: 404 Not Found Job does not exist',
    });
  });

  test('fails when the head goes away, so that nobody takes it for the end', async () => {
    head.setJob('j', { status: 'RUNNING', logs: 'one\n' });
    const logs = follow();
    await logs.next();
    await served.close();
    closers.length = 0;
    await expect(logs.next()).rejects.toThrow(/^the log stream .*\/api\/jobs\/j\/logs\/tail broke off/);
  });

  test('fails when it is closed for another reason than the end', async () => {
    const url = await listen((client) => client.close(1011, 'oops'));
    await expect(all(follow({ head: { url } }))).rejects.toThrow('was closed by the head with code 1011: oops');
  });

  test('fails at a message beyond the limit', async () => {
    const url = await listen((client) => client.send('x'.repeat(RAY_LIMITS.logMessageBytes + 1)));
    await expect(all(follow({ head: { url } }))).rejects.toThrow('broke off (Max payload size exceeded)');
  });

  test('answers pings, and carries the token', async () => {
    const url = await listen((client, request) => {
      const token = String(request.headers['x-ray-authorization']);
      client.once('pong', (payload) => client.send(`${payload.toString()}, ${token}`, () => client.close(1000)));
      client.ping('are you there');
    });
    expect(await all(follow({ head: { url, token: 't' } }))).toBe('are you there, Bearer t');
  });

  test('reads no faster than it is read', async () => {
    let sent = 0;
    const chunk = 'x'.repeat(100_000);
    const url = await listen((client) => {
      const pour = (): void => {
        sent += chunk.length;
        if (sent < 100_000_000 && client.readyState === client.OPEN) client.send(chunk, pour);
      };
      pour();
    });
    const logs = follow({ head: { url } });
    await logs.next();
    await sleep(200);
    expect(sent).toBeLessThan(50_000_000);
    await logs.return();
  });

  test('ends at once when it is given up', async () => {
    head.setJob('j', { status: 'RUNNING', logs: 'one\n' });
    const abort = new AbortController();
    const logs = follow({ signal: abort.signal });
    await logs.next();
    abort.abort(new Error('enough'));
    await expect(logs.next()).rejects.toThrow('enough');
  });

  test('nothing listens', async () => {
    await expect(all(follow({ head: { url: 'http://127.0.0.1:1' } }))).rejects.toThrow(
      /could not be opened \(connect ECONNREFUSED/,
    );
  });

  test('something that answers the handshake wrongly is not trusted', async () => {
    const server = createServer().on('upgrade', (_, socket) => {
      socket.write(
        'HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-accept: x\r\n\r\n',
      );
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    closers.push(() => server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await expect(all(follow({ head: { url } }))).rejects.toThrow('Invalid Sec-WebSocket-Accept header');
  });

  test('goes through a tunnel where a proxy is', async () => {
    head.setJob('j', { status: 'SUCCEEDED', logs: 'through\n' });
    const target = new URL(served.url);
    const wanted: (string | undefined)[] = [];
    const proxy = createServer().on('connect', (request, client) => {
      wanted.push(request.url);
      const upstream = connect(Number(target.port), '127.0.0.1', () => {
        client.write('HTTP/1.1 200 OK\r\n\r\n');
        upstream.pipe(client).pipe(upstream);
      });
      upstream.on('error', () => client.destroy());
      client.on('error', () => upstream.destroy());
    });
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    closers.push(() => proxy.close());
    const address = new URL(`http://127.0.0.1:${(proxy.address() as AddressInfo).port}`);
    const url = 'http://head.example:8265';
    expect(await all(follow({ head: { url }, proxyFor: () => address }))).toBe('through\n');
    expect(wanted).toEqual(['head.example:8265']);
  });
});
