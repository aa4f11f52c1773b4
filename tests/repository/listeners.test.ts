import { once } from 'node:events';
import { globSync, readFileSync } from 'node:fs';
import { type ClientHttp2Session, connect as connectHttp2 } from 'node:http2';
import { connect, type Socket } from 'node:net';
import { join, resolve } from 'node:path';
import { connect as connectTls, type ConnectionOptions, type TLSSocket } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { LISTENERS, type Listener } from './listeners.ts';

const root = resolve(import.meta.dirname, '../..');

it('every server of ours that speaks HTTP or TLS is among those that are tried below', () => {
  const files = globSync('packages/*/src/**/*.ts', { cwd: root }).map((path) => path.replaceAll('\\', '/'));
  const shipped = files.filter((path) => !path.endsWith('.test.ts') && !path.includes('/testing/'));
  const serving = shipped.filter((path) => {
    const text = readFileSync(join(root, path), 'utf8');
    // What has but node:net passes bytes on, and knows no requests.
    return (
      /\bcreate(Secure)?Server\b/.test(text) && /'node:(https?|http2|tls)'/.test(text.replaceAll(/import type .*/g, ''))
    );
  });
  expect(serving.toSorted()).toEqual(
    Object.values(LISTENERS)
      .map(({ file }) => file)
      .toSorted(),
  );
});

/** Opens it for one test, which may then try it with clients of any kind. */
async function tried(listener: Listener, attempt: (visit: Visit) => Promise<void>): Promise<void> {
  const open = await listener.open();
  const sockets: Socket[] = [];
  const watched = <S extends Socket>(socket: S): S => {
    sockets.push(socket);
    // Being cut off is what is waited for.
    return socket.on('error', () => undefined);
  };
  const at = { port: open.port, host: '127.0.0.1' };
  const tls = (options: ConnectionOptions) => watched(connectTls({ ...at, rejectUnauthorized: false, ...options }));
  const visit: Visit = {
    raw: () => watched(connect(at)),
    tls,
    client: async () => {
      const socket = listener.isSecure ? tls({ ALPNProtocols: ['http/1.1'] }) : watched(connect(at));
      await once(socket, listener.isSecure ? 'secureConnect' : 'connect');
      return socket;
    },
    session: () => {
      const url = `${listener.isSecure ? 'https' : 'http'}://127.0.0.1:${open.port}`;
      return connectHttp2(url, { rejectUnauthorized: false }).on('error', () => undefined);
    },
  };
  try {
    await attempt(visit);
  } finally {
    for (const socket of sockets) socket.destroy();
    await open.close();
  }
}

interface Visit {
  readonly raw: () => Socket;
  readonly tls: (options: ConnectionOptions) => TLSSocket;
  /** A connection that is ready for a request, through TLS where the listener wants it. */
  readonly client: () => Promise<Socket>;
  readonly session: () => ClientHttp2Session;
}

/** Resolves when the other side has closed, with all that it said. */
function cutOff(socket: Socket): Promise<string> {
  let text = '';
  socket.on('data', (chunk) => (text += String(chunk)));
  return new Promise((done) => socket.once('close', () => done(text)));
}

type Named = readonly [name: string, listener: Listener];
const all: readonly Named[] = Object.entries(LISTENERS);
const those = (which: (listener: Listener) => boolean) => all.filter(([, listener]) => which(listener));

const requestTo = ({ path }: Listener, method: string, ...headers: readonly string[]) =>
  [`${method} ${path} HTTP/1.1`, 'host: x', ...headers, '', ''].join('\r\n');
const postTo = (listener: Listener, length: string) =>
  requestTo(listener, 'POST', 'authorization: Bearer admin', 'content-type: application/json', length);

/** What those hear who took too long; nothing where it was too early to speak HTTP. */
const late = /^(HTTP\/1.1 408 |$)/;
/** The same, or an answer that did not wait for the body. */
const atAnyTime = /^(HTTP\/1.1 (408|200) |$)/;
const tooMuch = 64 * 1024 * 1024;

/** Sends a body without end; resolves with what was said when the connection is cut. */
async function flood(socket: Socket, isChunked: boolean): Promise<string> {
  const piece = 'x'.repeat(0x10000);
  const said = cutOff(socket);
  for (let sent = 0; socket.writable; sent += piece.length) {
    if (sent > tooMuch) throw new Error('all of it was taken');
    const more = new Promise((done) => socket.write(isChunked ? `10000\r\n${piece}\r\n` : piece, done));
    await Promise.race([more, said]);
  }
  return said;
}

describe.concurrent.each(all)('%s', (_, listener) => {
  it('hangs up on those who say nothing', () =>
    tried(listener, async ({ client }) => {
      expect(await cutOff(await client())).toMatch(late);
    }));

  it('hangs up on those who never come to the end of a head, however busy they are', () =>
    tried(listener, async ({ client }) => {
      const socket = await client();
      socket.write(`GET ${listener.path} HTTP/1.1\r\nhost: x\r\n`);
      const drip = setInterval(() => socket.write('x-slow: y\r\n'), 20);
      const said = await cutOff(socket).finally(() => clearInterval(drip));
      expect(said).toMatch(late);
    }));

  it('refuses a head that is too long', () =>
    tried(listener, async ({ client }) => {
      const socket = await client();
      socket.write(requestTo(listener, 'GET', `x-long: ${'y'.repeat(64 * 1024)}`));
      expect(await cutOff(socket)).toMatch(/^(HTTP\/1.1 431 |$)/);
    }));
});

describe.concurrent.each(those(({ refusal }) => refusal !== 'none'))('%s', (_, listener) => {
  it('hangs up on those whose body stops coming', () =>
    tried(listener, async ({ client }) => {
      const socket = await client();
      socket.write(`${postTo(listener, 'content-length: 100')}{`);
      expect(await cutOff(socket)).toMatch(listener.refusal === 405 ? /^HTTP\/1.1 405 / : atAnyTime);
    }));
});

describe.concurrent.each(those(({ refusal }) => typeof refusal === 'number'))('%s', (_, listener) => {
  it('takes no body that is too long, whether it says so or not', () =>
    tried(listener, async ({ client }) => {
      // The answer may be lost with the connection.
      const refused = new RegExp(`^(HTTP/1.1 ${listener.refusal} |$)`);
      const announced = await client();
      announced.write(postTo(listener, `content-length: ${2 ** 30}`));
      expect(await flood(announced, false)).toMatch(refused);
      const endless = await client();
      endless.write(postTo(listener, 'transfer-encoding: chunked'));
      expect(await flood(endless, true)).toMatch(refused);
    }));
});

describe.concurrent.each(those(({ isSecure }) => isSecure))('%s', (_, listener) => {
  it('hangs up on those who never shake hands', () =>
    tried(listener, async ({ raw }) => {
      expect(await cutOff(raw())).toBe('');
    }));

  it.each([
    ['TLSv1', undefined],
    ['TLSv1.1', undefined],
    ['TLSv1.2', 'TLSv1.2'],
    ['TLSv1.3', 'TLSv1.3'],
  ] as const)('agrees with those who speak %s at most on %s', (maxVersion, agreed) =>
    tried(listener, async ({ tls }) => {
      const socket = tls({ minVersion: 'TLSv1', maxVersion, ciphers: 'DEFAULT@SECLEVEL=0' });
      const protocol = await new Promise((done) => {
        socket.once('secureConnect', () => done(socket.getProtocol()));
        socket.once('close', () => done(undefined));
      });
      expect(protocol).toBe(agreed);
    }),
  );
});

describe.concurrent.each(those(({ hasHttp2 }) => hasHttp2))('%s', (_, listener) => {
  it('hangs up on those who ask nothing over HTTP/2', () =>
    tried(listener, async ({ session }) => {
      await expect(once(session(), 'close')).resolves.toEqual([]);
    }));

  it('gives up requests over HTTP/2 whose body stops coming', () =>
    tried(listener, async ({ session }) => {
      const made = session();
      const headers = { ':method': 'POST', ':path': listener.path, authorization: 'Bearer admin' };
      const stream = made.request({ ...headers, 'content-type': 'application/json' });
      stream.on('error', () => undefined);
      stream.resume();
      stream.write('{');
      await expect(once(stream, 'close')).resolves.toEqual([]);
      made.destroy();
    }));
});
