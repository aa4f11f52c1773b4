import { Duplex, duplexPair } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CONTROL, controlFrame, dataFrame, FrameReader } from '../../../apiserver/src/spdy/frames.ts';
import { HeaderCodec } from '../../../apiserver/src/spdy/header-codec.ts';
import { SpdyStream } from '@manta/apiserver';
import { forwardStreams } from './spdy-forward.ts';

const CHUNK = Buffer.alloc(16 * 1024, 'x');
const [SILENT, ECHO, CLOSED, SLOW] = [1, 2, 3, 4];

/** A client on one side of a connection, and pods with one connection each on the other. */
class Client {
  readonly connections = new Map<number, Duplex>();
  readonly codec = new HeaderCodec();
  readonly over: Promise<void>;
  readonly near: Duplex;
  readonly far: Duplex;
  opened: (() => void) | undefined;
  received = '';

  constructor() {
    [this.near, this.far] = duplexPair();
    this.over = forwardStreams({ connect: async (port) => await this.#connect(port) }, this.far);
    const reader = new FrameReader();
    this.near
      .on('error', () => undefined)
      .on('data', (chunk: Buffer) => {
        for (const frame of reader.read(chunk)) if (frame.kind === 'data') this.received += frame.body.toString();
      });
  }

  async #connect(port: number): Promise<Duplex> {
    if (port === CLOSED) throw new Error('nothing listens');
    if (port === SLOW) await new Promise<void>((resolve) => (this.opened = resolve));
    const [here, there] = duplexPair();
    if (port === ECHO) there.pipe(there);
    this.connections.set(port, here);
    return here;
  }

  /** Opens a stream of data to a port. */
  async open(id: number, port: number): Promise<void> {
    const headers = await this.codec.write(
      new Map([
        ['streamtype', 'data'],
        ['port', String(port)],
        ['requestid', String(id)],
      ]),
    );
    this.near.write(controlFrame(CONTROL.synStream, id, 0, Buffer.alloc(2), headers));
  }

  send(id: number, body: Buffer): void {
    this.near.write(dataFrame(id, body));
  }

  async connected(port: number): Promise<Duplex> {
    return await vi.waitFor(() => {
      const connection = this.connections.get(port);
      if (connection === undefined) throw new Error('not yet');
      return connection;
    });
  }
}

let client: Client;
beforeEach(() => {
  client = new Client();
});
afterEach(async () => {
  client.near.destroy();
  client.far.destroy();
  await client.over;
  client.codec.close();
});

describe('forwarding over SPDY', () => {
  it('goes on with the others when a pod closes a connection whose client still sends', async () => {
    await client.open(1, SILENT);
    await client.open(3, ECHO);
    const connection = await client.connected(SILENT);
    await client.connected(ECHO);
    for (let n = 0; n < 10; n++) client.send(1, CHUNK);
    connection.destroy();
    for (let n = 0; n < 10; n++) client.send(1, CHUNK);
    client.send(3, Buffer.from('hello'));
    await vi.waitFor(() => expect(client.received).toBe('hello'));
  });

  it('goes on with the others when nothing listens on a port to which the client sends', async () => {
    await client.open(1, CLOSED);
    await client.open(3, ECHO);
    for (let n = 0; n < 10; n++) client.send(1, CHUNK);
    client.send(3, Buffer.from('hello'));
    await vi.waitFor(() => expect(client.received).toBe('hello'));
  });

  it('ends with a client that disappears while a pod does not read', async () => {
    await client.open(1, SILENT);
    const connection = await client.connected(SILENT);
    for (let n = 0; n < 20; n++) client.send(1, CHUNK);
    await vi.waitFor(() => expect(connection.writableNeedDrain).toBe(true));
    client.far.destroy();
    await client.over;
    expect(connection.destroyed).toBe(true);
  });

  it('closes a connection that came about only after its client had gone', async () => {
    await client.open(1, SLOW);
    await vi.waitFor(() => expect(client.opened).toBeDefined());
    client.far.destroy();
    await client.over;
    await setImmediate();
    client.opened?.();
    const connection = await client.connected(SLOW);
    await vi.waitFor(() => expect(connection.destroyed).toBe(true));
  });
});

it('a stream that waits for its reader many times listens for its end once', async () => {
  const stream = new SpdyStream(1, new Map(), new Duplex({ read: () => undefined, write: (_c, _e, done) => done() }));
  const before = stream.listenerCount('close');
  for (let n = 0; n < 20; n++) {
    const taken = stream.receive(Buffer.alloc(stream.readableHighWaterMark));
    stream.read();
    await taken;
  }
  expect(stream.listenerCount('close')).toBe(before);
  stream.destroy();
});
