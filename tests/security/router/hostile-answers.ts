import type { Socket } from 'node:net';
import type { Random } from '../support/random.ts';

type Answer = (random: Random) => string;

const sized = (status: string, headers: string, body: string): string =>
  `HTTP/1.1 ${status}\r\n${headers}content-length: ${body.length}\r\n\r\n${body}`;
const chunked = (rest: string): string => `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${rest}`;

/** What a backend may say that wants to harm its router. */
const HOSTILE: readonly Answer[] = [
  () => sized('600 X', '', 'a'),
  () => sized('999 X', '', ''),
  () => sized('099 X', '', 'a'),
  () => sized('200', '', 'a'),
  () => 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\nraw',
  () => `HTTP/1.1 200 OK\r\nx: ${'a'.repeat(100_000)}\r\n\r\n`,
  () => `HTTP/1.1 200 OK\r\n${'a: b\r\n'.repeat(5_000)}\r\n`,
  () => chunked('5\r\nhello\r\n0\r\nx-trailer: 1\r\n\r\n'),
  () => chunked('5\r\nhello\r\n0\r\nbad trailer\r\n\r\n'),
  () => chunked('zz\r\n'),
  () => chunked('ffffffffffffffff\r\na'),
  () => chunked('3\r\nabcdef\r\n'),
  () => 'HTTP/1.1 200 OK\r\ncontent-length: 3\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
  () => 'HTTP/1.1 200 OK\r\ncontent-length: 3\r\ncontent-length: 4\r\n\r\nabcd',
  () => 'HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n',
  () => 'HTTP/1.1 200 OK\r\ntransfer-encoding: gzip, chunked\r\n\r\n0\r\n\r\n',
  () => sized('200 OK', 'x: a\u0000b\r\n', 'a'),
  () => sized('200 OK', 'bad name: 1\r\n', 'a'),
  () => sized('200 OK', ': no name\r\n', 'a'),
  () => sized('200 OK', `set-cookie: ${'\u00e9'.repeat(50)}\r\n`, 'a'),
  () => sized('304 Not Modified', '', 'a body that nobody expects'),
  () => sized('204 No Content', '', 'x'),
  () => `${'HTTP/1.1 100 Continue\r\n\r\n'.repeat(50)}${sized('200 OK', '', 'a')}`,
  () => `${sized('200 OK', '', 'a')}${sized('200 OK', '', 'more than was asked for')}`,
  () => 'HTTP/1.0 200 OK\r\n\r\nuntil the end',
  () => 'HTTP/2.0 200 OK\r\n\r\n',
  (random) => random.bytes(1 + random.below(200)),
  () => '',
];

const UPGRADES: readonly Answer[] = [
  (random) =>
    `HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: websocket\r\n\r\n${random.bytes(50)}`,
  () => 'HTTP/1.1 101 Switching Protocols\r\n\r\n',
  () => sized('600 X', '', 'a'),
  () => `HTTP/1.1 200 OK\r\nx: ${'a'.repeat(30_000)}\r\n\r\n`,
  (random) => random.bytes(1 + random.below(100)),
];

/** Answers every request on a connection, most of them well; others in a way that ends the connection, or leaves it open. */
export function answerHostilely(socket: Socket, random: Random): void {
  socket.setTimeout(2_000, () => socket.destroy());
  socket.on('data', (chunk: Buffer) => {
    const text = chunk.toString('latin1');
    if (text.includes('upgrade: websocket')) {
      socket.write(random.pick(UPGRADES)(random), 'latin1');
      return;
    }
    // Bodies come in pieces of their own, which are no requests.
    if (!/ HTTP\/1\.1\r\n/.test(text)) return;
    if (random.chance(0.7)) {
      socket.write(sized('200 OK', 'x-ok: 1\r\n', 'ok'));
      return;
    }
    if (random.chance(0.1)) socket.resetAndDestroy();
    else if (random.chance(0.5)) socket.end(random.pick(HOSTILE)(random), 'latin1');
    else socket.write(random.pick(HOSTILE)(random), 'latin1');
  });
}

/** Frames of HTTP/2 that no client asked for. */
export function answerInGarbledFrames(socket: Socket, random: Random): void {
  socket.setTimeout(2_000, () => socket.destroy());
  socket.write(Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]));
  socket.on('data', () => {
    const length = random.below(40);
    const frame = Buffer.alloc(9 + length);
    frame.writeUIntBE(random.chance(0.9) ? length : 0xff_ff_ff, 0, 3);
    frame.set([random.below(12), random.below(256)], 3);
    frame.writeUInt32BE(random.below(6), 5);
    frame.set(Buffer.from(random.bytes(length), 'latin1'), 9);
    socket.write(frame);
    if (random.chance(0.3)) socket.destroy();
  });
}
