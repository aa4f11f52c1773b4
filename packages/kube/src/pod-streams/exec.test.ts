import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { TLSSocket } from 'node:tls';
import { describe, expect, test } from 'vitest';
import { ApiError, TransportError } from '../api-error.ts';
import type { Clock } from '../clock.ts';
import { connectThroughProxy } from '../config/proxy-connect.ts';
import { type ChannelServerOptions, type ServerSession, startChannelServer } from '../testing/channel-server.ts';
import { createCertificateAuthority } from '../certificates/authority.ts';
import { attachToPod, execInPod, runInPod } from './exec.ts';

const V5 = 'v5.channel.k8s.io';
const V4 = 'v4.channel.k8s.io';
const pod = { namespace: 'ns', pod: 'head' };
const command = ['ls', '-l'];
/** As nodes send them: without a kind. */
const success = JSON.stringify({ metadata: {}, status: 'Success' });
const failure = (code: number) =>
  JSON.stringify({
    metadata: {},
    status: 'Failure',
    reason: 'NonZeroExitCode',
    message: `command terminated with exit code ${code}`,
    details: { causes: [{ reason: 'ExitCode', message: String(code) }] },
  });

function start(serve: ChannelServerOptions['serve'], options: Partial<ChannelServerOptions> = {}) {
  return startChannelServer({ protocols: [V5, V4], serve, ...options });
}

/** Ends the session as a node does: the status, then an orderly close. */
function finish(session: ServerSession, status = success): void {
  session.send(3, status);
  session.socket.close(1000);
}

describe('running a command', () => {
  test('asks for the command, the container and the streams', async () => {
    await using server = await start(finish);
    await runInPod(server.connect(), { ...pod, container: 'ray', command: ['sh', '-c', 'echo a&b'] });
    expect(server.requests[0]?.url).toBe(
      '/api/v1/namespaces/ns/pods/head/exec?command=sh&command=-c&command=echo+a%26b&container=ray&stdout=true&stderr=true',
    );
    expect(server.requests[0]?.headers['sec-websocket-protocol']).toBe(`${V5},${V4}`);
  });

  test('gathers both outputs and the exit code', async () => {
    await using server = await start((session) => {
      session.send(1, 'out');
      session.send(2, 'err');
      session.send(1, 'put');
      finish(session, failure(3));
    });
    const { code, stdout, stderr } = await runInPod(server.connect(), { ...pod, command });
    expect({ code, stdout: stdout.toString(), stderr: stderr.toString() }).toEqual({
      code: 3,
      stdout: 'output',
      stderr: 'err',
    });
  });

  test('a status in several pieces is put together', async () => {
    await using server = await start((session) => {
      session.send(3, failure(7).slice(0, 10));
      finish(session, failure(7).slice(10));
    });
    expect((await runInPod(server.connect(), { ...pod, command })).code).toBe(7);
  });

  test('input is sent in order and its end is told', async () => {
    await using server = await start(async (session) => {
      await session.until((received) => received.some(([channel]) => channel === 255));
      session.send(1, session.received.map(([channel, payload]) => `${channel}:${payload.length}`).join(' '));
      finish(session);
    });
    const input = Buffer.alloc(70_000, 'x');
    const { stdout } = await runInPod(server.connect(), { ...pod, command }, input);
    expect(stdout.toString()).toBe('0:32768 0:32768 0:4464 255:1');
    expect(server.requests[0]?.url).toContain('stdin=true');
  });

  test('an output that the server closes ends while the other goes on', async () => {
    await using server = await start(async (session) => {
      session.send(1, 'done');
      session.send(255, Uint8Array.of(1));
      await session.until((received) => received.length > 0);
      session.send(2, 'later');
      finish(session);
    });
    const session = await execInPod(server.connect(), { ...pod, command, stdin: true });
    expect(await text(session.stdout)).toBe('done');
    session.stdin.write('go');
    expect(await text(session.stderr)).toBe('later');
    expect(await session.exit).toEqual({ code: 0 });
  });

  test('a terminal has one output, and can be resized', async () => {
    await using server = await start(async (session) => {
      await session.until((received) => received.length > 0);
      session.send(1, JSON.stringify(session.received[0]));
      finish(session);
    });
    const session = await execInPod(server.connect(), { ...pod, command, tty: true, stdin: true });
    expect(server.requests[0]?.url).toMatch(/stdin=true&stdout=true&tty=true$/);
    session.resize(120, 40);
    expect(JSON.parse(await text(session.stdout))).toEqual([4, '{"Width":120,"Height":40}']);
    expect(await text(session.stderr)).toBe('');
  });

  test('an output that nobody reads holds back the server instead of filling memory', async () => {
    const chunk = Buffer.alloc(65_536, 'x');
    let serverSide: ServerSession | undefined;
    await using server = await start((session) => {
      serverSide = session;
      for (let count = 0; count < 500; count++) session.send(1, chunk);
      finish(session);
    });
    const session = await execInPod(server.connect(), { ...pod, command });
    await new Promise((resolve) => session.stdout.once('readable', resolve));
    expect(serverSide?.socket.bufferedAmount).toBeGreaterThan(1_000_000);
    expect(session.stdout.readableLength).toBeLessThan(1_000_000);
    let bytes = 0;
    for await (const part of session.stdout) bytes += (part as Buffer).length;
    expect(bytes).toBe(500 * chunk.length);
    expect(await session.exit).toEqual({ code: 0 });
  });
});

describe('a server that speaks v4 only', () => {
  test('serves a command', async () => {
    await using server = await start(
      (session) => {
        session.send(1, session.protocol);
        finish(session, failure(2));
      },
      { protocols: [V4] },
    );
    const result = await runInPod(server.connect(), { ...pod, command });
    expect([result.code, result.stdout.toString()]).toEqual([2, V4]);
  });

  test('is not told of the end of input, and the session says so', async () => {
    await using server = await start(
      async (session) => {
        await session.until((received) => received.length > 0);
        session.socket.once('pong', () => {
          session.send(1, String(session.received.length));
          finish(session);
        });
        session.socket.ping();
      },
      { protocols: [V4] },
    );
    const session = await execInPod(server.connect(), { ...pod, command, stdin: true });
    expect(session.canEndStdin).toBe(false);
    session.stdin.end('last words');
    expect(await text(session.stdout)).toBe('1');
  });
});

describe('when it goes wrong', () => {
  test('a command that cannot be run is an ApiError with the reason', async () => {
    const status = { metadata: {}, status: 'Failure', reason: 'InternalError', code: 500, message: 'no such file' };
    await using server = await start((session) => finish(session, JSON.stringify(status)));
    const running = runInPod(server.connect(), { ...pod, command });
    await expect(running).rejects.toThrow('no such file');
    await expect(running).rejects.toMatchObject({ name: 'ApiError', reason: 'InternalError' });
  });

  test.each([
    ['without a status', 1000, 'the server closed the stream before it was known how the command ended'],
    ['with an error', 1011, 'the stream was cut off (WebSocket code 1011: container gone)'],
  ])('a stream that ends %s is a TransportError', async (_, code, message) => {
    await using server = await start((session) => session.socket.close(code, code === 1000 ? '' : 'container gone'));
    const session = await execInPod(server.connect(), { ...pod, command });
    await expect(session.exit).rejects.toThrow(message);
    await expect(session.exit).rejects.toBeInstanceOf(TransportError);
    expect(await text(session.stdout)).toBe('');
  });

  test('a connection that breaks is a TransportError, and the output so far is there', async () => {
    await using server = await start((session) => {
      session.send(1, 'so far');
      session.socket.once('pong', () => session.socket.terminate());
      session.socket.ping();
    });
    const session = await execInPod(server.connect(), { ...pod, command });
    expect(await text(session.stdout)).toBe('so far');
    await expect(session.exit).rejects.toThrow('the stream was cut off (WebSocket code 1006)');
  });

  test('a text message is refused', async () => {
    await using server = await start((session) => session.socket.send('1hello'));
    const session = await execInPod(server.connect(), { ...pod, command });
    await expect(session.exit).rejects.toThrow('text message');
  });

  test('a refusal before the upgrade is an ApiError with its Status', async () => {
    const body = JSON.stringify({ kind: 'Status', reason: 'Forbidden', message: 'pods "head" is forbidden' });
    await using server = await start(finish, { refuse: () => ({ status: 403, body }) });
    const opening = execInPod(server.connect(), { ...pod, command });
    await expect(opening).rejects.toBeInstanceOf(ApiError);
    await expect(opening).rejects.toMatchObject({
      code: 403,
      reason: 'Forbidden',
      message: 'pods "head" is forbidden',
    });
  });

  test('a server without our protocols is named as too old', async () => {
    await using server = await start(finish, { protocols: ['v1.channel.k8s.io'] });
    const opening = execInPod(server.connect(), { ...pod, command });
    await expect(opening).rejects.toThrow(`the server speaks none of ${V5}, ${V4}; it is too old`);
  });

  test('the signal cuts a session with its reason', async () => {
    await using server = await start(() => undefined);
    const abort = new AbortController();
    const session = await execInPod(server.connect(), { ...pod, command, signal: abort.signal });
    abort.abort(new Error('changed my mind'));
    await expect(session.exit).rejects.toThrow('changed my mind');
  });

  test('hanging up ends the session', async () => {
    await using server = await start(() => undefined);
    const session = await execInPod(server.connect(), { ...pod, command });
    session.close();
    await expect(session.exit).rejects.toThrow('we closed the stream before it was known how the command ended');
  });

  test('a server that falls silent is given up after a minute', async () => {
    let now = 0;
    const timers: (() => void)[] = [];
    const clock: Clock = {
      now: () => now,
      setTimer: (_, run) => {
        timers.push(run);
        return () => undefined;
      },
    };
    await using server = await start((session) => session.socket.pause());
    const session = await execInPod(server.connect(), { ...pod, command, clock });
    now += 60_000;
    timers.pop()?.();
    now += 2_000;
    timers.pop()?.();
    await expect(session.exit).rejects.toThrow('the server has been silent for 62 s');
  });
});

describe('the connection', () => {
  test('its credentials, certificate and CA are used', async () => {
    const alice = createCertificateAuthority().issue({ commonName: 'alice' });
    let user: string | undefined;
    const serve = (session: ServerSession) => {
      user = (session.request.socket as TLSSocket).getPeerCertificate().subject.CN?.toString();
      finish(session);
    };
    await using server = await start(serve, { isTls: true });
    const headers = { authorization: 'Bearer t', 'impersonate-group': ['a', 'b'] };
    const connection = server.connect(() => ({ headers, ...alice }));
    await runInPod(connection, { ...pod, command });
    const { rawHeaders } = server.requests[0] ?? {};
    expect(rawHeaders?.filter((_, index) => rawHeaders[index - 1] === 'impersonate-group')).toEqual(['a', 'b']);
    expect(rawHeaders).toContain('Bearer t');
    expect(user).toBe('alice');
  });

  test('a server that its CA does not vouch for is refused', async () => {
    await using server = await start(finish, { isTls: true });
    const tls = { ca: createCertificateAuthority().cert, rejectUnauthorized: true };
    const opening = execInPod(server.connect(undefined, { tls }), { ...pod, command });
    await expect(opening).rejects.toThrow('is not signed by the certificate authority we were given');
  });

  test('a refused token is tried once more with a fresh one', async () => {
    await using server = await start(finish, {
      refuse: ({ headers }) => (headers.authorization === 'Bearer new' ? undefined : { status: 401, body: 'no' }),
    });
    let token = 'old';
    const connection = server.connect(() => ({ headers: { authorization: `Bearer ${token}` } }), {
      invalidateCredentials: () => {
        token = 'new';
      },
    });
    expect((await runInPod(connection, { ...pod, command })).code).toBe(0);
    expect(server.requests).toHaveLength(2);
  });

  test('its path prefix is kept', async () => {
    await using server = await start(finish);
    const connection = server.connect(undefined, { server: new URL(`http://127.0.0.1:${server.port}/k8s/c-1/`) });
    await runInPod(connection, { ...pod, command });
    expect(server.requests[0]?.url).toMatch(/^\/k8s\/c-1\/api\/v1\/namespaces\/ns\/pods\/head\/exec\?/);
  });

  test('its proxy is used', async () => {
    await using server = await start(finish, { isTls: true });
    const asked: (string | undefined)[] = [];
    const proxy = createServer().on('connect', (request, client: Duplex) => {
      asked.push(request.url);
      const upstream = connect(server.port, '127.0.0.1', () => client.write('HTTP/1.1 200 OK\r\n\r\n'));
      upstream.pipe(client).pipe(upstream);
    });
    await once(proxy.listen(0, '127.0.0.1'), 'listening');
    const address = new URL(`http://127.0.0.1:${(proxy.address() as AddressInfo).port}`);
    const connection = server.connect(undefined, {
      connectSocket: (signal) => connectThroughProxy(address, { host: '127.0.0.1', port: server.port }, signal),
    });
    expect((await runInPod(connection, { ...pod, command })).code).toBe(0);
    expect(asked).toEqual([`127.0.0.1:${server.port}`]);
    proxy.close();
  });

  test('a proxy that is not there is named', async () => {
    await using server = await start(finish);
    const connection = server.connect(undefined, {
      connectSocket: (signal) =>
        connectThroughProxy(new URL('http://127.0.0.1:1'), { host: '127.0.0.1', port: server.port }, signal),
    });
    await expect(execInPod(connection, { ...pod, command })).rejects.toThrow(
      'the proxy http://127.0.0.1:1 cannot be reached',
    );
  });
});

test('attaching to a process that outlives the session ends in success', async () => {
  await using server = await start((session) => {
    session.send(1, 'hello');
    session.socket.close(1000);
  });
  const session = await attachToPod(server.connect(), { ...pod, container: 'ray' });
  expect(server.requests[0]?.url).toBe('/api/v1/namespaces/ns/pods/head/attach?container=ray&stdout=true&stderr=true');
  expect(await text(session.stdout)).toBe('hello');
  expect(await session.exit).toEqual({ code: 0 });
});
