import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage, type Server as HttpServer } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { type Duplex, PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, test } from 'vitest';
import { TransportError } from '../api-error.ts';
import { createCertificateAuthority } from '../certificates/authority.ts';
import { connectThroughProxy, tunnelTarget } from './proxy-connect.ts';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

async function listen(server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket.on('error', () => undefined)));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** Answers each connection with what it got, in capitals. */
function shoutingServer(): Promise<number> {
  return listen(
    createServer((socket) => {
      socket.on('data', (chunk) => socket.write(chunk.toString().toUpperCase()));
    }),
  );
}

/** A CONNECT proxy that sends everything to `port`; `early` is written together with the answer. */
function acceptConnect(server: HttpServer, port: number, seen: IncomingMessage[] = [], early = ''): HttpServer {
  return server.on('connect', (request: IncomingMessage, client: Duplex, head: Buffer) => {
    seen.push(request);
    const upstream = connect(port, '127.0.0.1', () => {
      client.write(`HTTP/1.1 200 Connection established\r\n\r\n${early}`);
      upstream.write(head);
      upstream.pipe(client).pipe(upstream);
    });
  });
}

async function say(socket: Duplex, words: string): Promise<string> {
  socket.write(words);
  const [chunk] = (await once(socket, 'data')) as [Buffer];
  return chunk.toString();
}

const signal = () => AbortSignal.timeout(5_000);
const target = { host: 'api.internal', port: 6443 };

describe('an HTTP proxy', () => {
  test('gives a stream to the target, and is told its name, not its address', async () => {
    const seen: IncomingMessage[] = [];
    const port = await listen(acceptConnect(createHttpServer(), await shoutingServer(), seen));
    const socket = await connectThroughProxy(new URL(`http://127.0.0.1:${port}`), target, signal());
    expect(await say(socket, 'hello')).toBe('HELLO');
    expect(seen[0]?.url).toBe('api.internal:6443');
    expect(seen[0]?.headers.host).toBe('api.internal:6443');
    expect(seen[0]?.headers['proxy-authorization']).toBeUndefined();
    socket.destroy();
  });

  test('gets the user and password of its address', async () => {
    const seen: IncomingMessage[] = [];
    const port = await listen(acceptConnect(createHttpServer(), await shoutingServer(), seen));
    const socket = await connectThroughProxy(new URL(`http://jane:p%40ss@127.0.0.1:${port}`), target, signal());
    expect(seen[0]?.headers['proxy-authorization']).toBe(`Basic ${btoa('jane:p@ss')}`);
    socket.destroy();
  });

  test('brackets an IPv6 target', async () => {
    const seen: IncomingMessage[] = [];
    const port = await listen(acceptConnect(createHttpServer(), await shoutingServer(), seen));
    const proxy = new URL(`http://127.0.0.1:${port}`);
    const socket = await connectThroughProxy(proxy, tunnelTarget(new URL('https://[fd00::1]')), signal());
    expect(seen[0]?.url).toBe('[fd00::1]:443');
    socket.destroy();
  });

  test('bytes that arrive together with its answer are not lost', async () => {
    const port = await listen(acceptConnect(createHttpServer(), await shoutingServer(), [], 'early'));
    const socket = await connectThroughProxy(new URL(`http://127.0.0.1:${port}`), target, signal());
    const [chunk] = (await once(socket, 'data')) as [Buffer];
    expect(chunk.toString()).toBe('early');
    socket.destroy();
  });

  test('the stream outlives the signal that its opening had', async () => {
    const port = await listen(acceptConnect(createHttpServer(), await shoutingServer()));
    const abort = new AbortController();
    const socket = await connectThroughProxy(new URL(`http://127.0.0.1:${port}`), target, abort.signal);
    abort.abort();
    expect(await say(socket, 'still here')).toBe('STILL HERE');
    socket.destroy();
  });

  test('an abort ends the attempt with its reason', async () => {
    const port = await listen(createServer(() => undefined));
    const abort = new AbortController();
    const attempt = connectThroughProxy(new URL(`http://127.0.0.1:${port}`), target, abort.signal);
    abort.abort(new Error('changed my mind'));
    await expect(attempt).rejects.toThrow('changed my mind');
  });

  test.each([
    ['403 Forbidden', 'allow the address there, or list it in NO_PROXY'],
    ['407 Proxy Authentication Required', 'put a user and password into its address'],
    ['502 Bad Gateway', 'allow the address there, or list it in NO_PROXY'],
  ])('that answers %s is named, with what to do', async (answer, advice) => {
    const port = await listen(
      createHttpServer().on('connect', (_, client: Duplex) => client.end(`HTTP/1.1 ${answer}\r\n\r\n`)),
    );
    const attempt = connectThroughProxy(new URL(`http://jane:secret@127.0.0.1:${port}`), target, signal());
    await expect(attempt).rejects.toThrow(
      `the proxy http://127.0.0.1:${port} refused to connect to api.internal:6443: ${answer}; ${advice}`,
    );
    await expect(attempt).rejects.toMatchObject({ name: 'TransportError', wasNeverSent: true });
  });

  test('that is not there is named', async () => {
    const server = createServer();
    const port = await listen(server);
    server.close();
    const attempt = connectThroughProxy(new URL(`http://127.0.0.1:${port}`), target, signal());
    await expect(attempt).rejects.toThrow(
      `the proxy http://127.0.0.1:${port} cannot be reached (connect ECONNREFUSED 127.0.0.1:${port})`,
    );
    await expect(attempt).rejects.toBeInstanceOf(TransportError);
  });
});

describe('an HTTPS proxy', () => {
  const authority = createCertificateAuthority();
  const identity = authority.issue({ commonName: 'proxy', ips: ['127.0.0.1'] });

  test('gives a stream when the CA of the cluster vouches for it', async () => {
    const port = await listen(acceptConnect(createHttpsServer(identity), await shoutingServer()));
    const trust = { ca: authority.cert, rejectUnauthorized: true };
    const socket = await connectThroughProxy(new URL(`https://127.0.0.1:${port}`), target, signal(), trust);
    expect(await say(socket, 'hello')).toBe('HELLO');
    socket.destroy();
  });

  test('must show a trusted certificate', async () => {
    const port = await listen(acceptConnect(createHttpsServer(identity), await shoutingServer()));
    const attempt = connectThroughProxy(new URL(`https://127.0.0.1:${port}`), target, signal());
    await expect(attempt).rejects.toThrow(/^the proxy https:\/\/127\.0\.0\.1:\d+ cannot be reached \(unable to verify/);
  });
});

interface SocksScript {
  /** The method chosen in answer to the greeting. */
  readonly method: number;
  readonly loginOutcome?: number;
  readonly reply?: readonly number[];
}

const BOUND_V4 = [5, 0, 0, 1, 0, 0, 0, 0, 0, 0];

/** Plays one side of SOCKS5 byte for byte and keeps what it was sent. */
async function socksProxy(script: SocksScript, upstreamPort: number): Promise<{ port: number; sent: string[] }> {
  const sent: string[] = [];
  const answers = [
    [5, script.method],
    ...(script.method === 2 ? [[1, script.loginOutcome ?? 0]] : []),
    [...(script.reply ?? BOUND_V4)],
  ];
  const port = await listen(
    createServer((client) => {
      client.on('data', function onData(chunk: Buffer) {
        sent.push(chunk.toString('hex'));
        const answer = answers.shift() ?? [];
        if (answers.length === 0) {
          client.off('data', onData);
          const upstream = connect(upstreamPort, '127.0.0.1', () => {
            client.write(Uint8Array.from(answer));
            upstream.pipe(client).pipe(upstream);
          });
        } else {
          // Byte by byte, to show that the reader does not depend on how they arrive.
          for (const byte of answer) client.write(Uint8Array.from([byte]));
        }
      });
    }),
  );
  return { port, sent };
}

const hex = (value: string) => Buffer.from(value).toString('hex');

describe('a SOCKS5 proxy', () => {
  test('is asked for the name and gives a stream', async () => {
    const { port, sent } = await socksProxy({ method: 0 }, await shoutingServer());
    const socket = await connectThroughProxy(new URL(`socks5://127.0.0.1:${port}`), target, signal());
    expect(await say(socket, 'hello')).toBe('HELLO');
    expect(sent).toEqual(['050100', `050100030c${hex('api.internal')}192b`]);
    socket.destroy();
  });

  test('takes a login', async () => {
    const { port, sent } = await socksProxy({ method: 2 }, await shoutingServer());
    const socket = await connectThroughProxy(new URL(`socks5://me:pw@127.0.0.1:${port}`), target, signal());
    expect(sent.slice(0, 2)).toEqual(['05020002', `0102${hex('me')}02${hex('pw')}`]);
    socket.destroy();
  });

  test.each([
    ['10.1.2.3', '050100010a010203192b'],
    ['fd00::1', '05010004fd000000000000000000000000000001192b'],
    ['::ffff:10.1.2.3', '0501000400000000000000000000ffff0a010203192b'],
  ])('is given the address %s as one', async (host, request) => {
    const { port, sent } = await socksProxy({ method: 0 }, await shoutingServer());
    const socket = await connectThroughProxy(new URL(`socks5://127.0.0.1:${port}`), { host, port: 6443 }, signal());
    expect(sent[1]).toBe(request);
    socket.destroy();
  });

  test.each([
    ['an IPv6 address', [5, 0, 0, 4, ...Array<number>(18).fill(0)]],
    ['a name', [5, 0, 0, 3, 2, 97, 98, 0, 0]],
  ])('may answer with %s', async (_, reply) => {
    const { port } = await socksProxy({ method: 0, reply }, await shoutingServer());
    const socket = await connectThroughProxy(new URL(`socks5h://127.0.0.1:${port}`), target, signal());
    expect(await say(socket, 'hello')).toBe('HELLO');
    socket.destroy();
  });

  test.each<[string, SocksScript, string]>([
    ['wants a login', { method: 0xff }, 'asks for a login; put a user and password into its address'],
    ['refuses the login', { method: 2, loginOutcome: 1 }, 'refused the user and password in its address'],
    [
      'forbids the target',
      { method: 0, reply: [5, 2, 0, 1] },
      'refused to connect to api.internal:6443: not allowed by its rules',
    ],
    [
      'cannot reach the target',
      { method: 0, reply: [5, 4, 0, 1] },
      'refused to connect to api.internal:6443: host unreachable',
    ],
  ])('that %s is named', async (_, script, problem) => {
    const { port } = await socksProxy(script, await shoutingServer());
    const attempt = connectThroughProxy(new URL(`socks5://a:b@127.0.0.1:${port}`), target, signal());
    await expect(attempt).rejects.toThrow(`the proxy socks5://127.0.0.1:${port} ${problem}`);
  });

  test('that hangs up is named', async () => {
    const port = await listen(createServer((client) => client.once('data', () => client.end())));
    const attempt = connectThroughProxy(new URL(`socks5://127.0.0.1:${port}`), target, signal());
    await expect(attempt).rejects.toThrow('closed the connection during the SOCKS5 handshake');
  });
});

test('a stream that was read in paused mode can be piped', async () => {
  const { port } = await socksProxy({ method: 0 }, await listen(createServer((socket) => socket.end('all of it'))));
  const socket = await connectThroughProxy(new URL(`socks5://127.0.0.1:${port}`), target, signal());
  expect(await text(socket.pipe(new PassThrough()))).toBe('all of it');
});
