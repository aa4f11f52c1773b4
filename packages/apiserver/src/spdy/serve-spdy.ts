import { Duplex } from 'node:stream';
import { CONTROL, controlFrame, dataFrame, FLAG_LAST, type Frame, takeFrame } from './frames.ts';
import { HeaderCodec, type SpdyHeaders } from './header-codec.ts';

/** One of the streams that a client has opened on a connection. */
export class SpdyStream extends Duplex {
  readonly headers: SpdyHeaders;
  readonly #id: number;
  readonly #transport: Duplex;
  #onRead: (() => void) | undefined;

  constructor(id: number, headers: SpdyHeaders, transport: Duplex) {
    super();
    this.#id = id;
    this.headers = headers;
    this.#transport = transport;
    this.once('close', () => this.#onRead?.());
  }

  /** Gives the reader bytes; resolves when it wants more, or is gone. */
  async receive(bytes: Buffer): Promise<void> {
    if (this.destroyed || this.push(bytes)) return;
    await new Promise<void>((resolve) => {
      this.#onRead = resolve;
    });
  }

  override _read(): void {
    this.#onRead?.();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#transport.write(dataFrame(this.#id, chunk), done);
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#transport.write(dataFrame(this.#id, Buffer.alloc(0), true), done);
  }
}

/**
 * Speaks the server's side of SPDY/3.1 as Kubernetes' clients use it: they open streams, both sides write and close them. Nobody there
 * counts windows; a reader that does not keep up holds the connection. Resolves when the connection has ended.
 */
export async function serveSpdy(transport: Duplex, onStream: (stream: SpdyStream) => void): Promise<void> {
  const session = new Session(transport, onStream);
  let bytes: Buffer = Buffer.alloc(0);
  // Its end is heard also while a reader holds the loop.
  transport.once('close', () => session.close());
  try {
    for await (const chunk of transport) {
      bytes = Buffer.concat([bytes, chunk]);
      for (let next = takeFrame(bytes); next !== undefined; next = takeFrame(bytes)) {
        bytes = next.rest;
        await session.handle(next.frame);
      }
    }
  } catch {
    // A client that breaks off, or does not speak SPDY: all it had opened ends.
  } finally {
    session.close();
    transport.destroy();
  }
}

class Session {
  readonly #transport: Duplex;
  readonly #onStream: (stream: SpdyStream) => void;
  readonly #streams = new Map<number, SpdyStream>();
  readonly #codec = new HeaderCodec();

  constructor(transport: Duplex, onStream: (stream: SpdyStream) => void) {
    this.#transport = transport;
    this.#onStream = onStream;
  }

  async handle(frame: Frame): Promise<void> {
    if (frame.kind === 'data') {
      const stream = this.#streams.get(frame.stream);
      if (frame.body.length > 0) await stream?.receive(frame.body);
      if (frame.isLast) stream?.push(null);
      return;
    }
    if (frame.type === CONTROL.synStream) await this.#open(frame.body, (frame.flags & FLAG_LAST) !== 0);
    if (frame.type === CONTROL.rstStream) this.#streams.get(frame.body.readUInt32BE(0))?.destroy();
    if (frame.type === CONTROL.ping) this.#transport.write(controlFrame(CONTROL.ping, frame.body));
  }

  async #open(body: Buffer, isLast: boolean): Promise<void> {
    const id = body.readUInt32BE(0);
    if (this.#streams.has(id)) throw new Error(`stream ${id} is open already`);
    // Then the stream that it belongs to, and a priority: neither is used.
    const stream = new SpdyStream(id, await this.#codec.read(body.subarray(10)), this.#transport);
    this.#streams.set(id, stream);
    stream.once('close', () => this.#streams.delete(id));
    stream.on('error', () => undefined);
    this.#transport.write(controlFrame(CONTROL.synReply, id, await this.#codec.write(new Map())));
    if (isLast) stream.push(null);
    this.#onStream(stream);
  }

  close(): void {
    for (const stream of this.#streams.values()) stream.destroy();
    this.#codec.close();
  }
}
