import { POD_PROXY_LIMITS } from '@manta/base';
import { Duplex } from 'node:stream';
import { CONTROL, controlFrame, dataFrame, FLAG_LAST, type Frame, FrameReader, REFUSED_STREAM } from './frames.ts';
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

  /** Passes bytes to the reader; resolves when it wants more, or has ended. */
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
 * Speaks the server's side of SPDY/3.1 as Kubernetes' clients use it: they open streams, both sides write and close them. These clients do
 * not use flow control windows: a reader of one stream that does not keep up blocks the connection. Resolves when the connection has ended.
 */
export async function serveSpdy(transport: Duplex, onStream: (stream: SpdyStream) => void): Promise<void> {
  const session = new Session(transport, onStream);
  const reader = new FrameReader();
  // The loop does not see the end of the connection while a reader blocks it.
  transport.once('close', () => session.close());
  try {
    for await (const chunk of transport) for (const frame of reader.read(chunk)) await session.handle(frame);
  } catch {
    // The client broke off or violated the protocol: its streams end with the connection.
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
  /** The highest id of a stream that the client has opened. */
  #lastId = 0;

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
    if (frame.type === CONTROL.ping) await this.#send(controlFrame(CONTROL.ping, frame.body));
  }

  /** A client that does not read what it has asked for gets nothing more. */
  async #send(bytes: Buffer): Promise<void> {
    if (this.#transport.write(bytes) || this.#transport.destroyed) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#transport.once('drain', resolve).once('close', resolve);
    await promise;
    this.#transport.off('drain', resolve).off('close', resolve);
  }

  async #open(body: Buffer, isLast: boolean): Promise<void> {
    const id = body.readUInt32BE(0);
    if (id % 2 === 0 || id <= this.#lastId)
      throw new Error(`a client opens streams with odd ids in rising order; ${id} came after ${this.#lastId}`);
    this.#lastId = id;
    // Six bytes with an associated stream and a priority are not used. Headers of a refused stream are read, too: all share one compressor.
    const headers = await this.#codec.read(body.subarray(10));
    if (this.#streams.size >= POD_PROXY_LIMITS.spdyStreams) {
      await this.#send(controlFrame(CONTROL.rstStream, id, REFUSED_STREAM));
      return;
    }
    const stream = new SpdyStream(id, headers, this.#transport);
    this.#streams.set(id, stream);
    stream.once('close', () => this.#streams.delete(id));
    stream.on('error', () => undefined);
    await this.#send(controlFrame(CONTROL.synReply, id, await this.#codec.write(new Map())));
    if (isLast) stream.push(null);
    this.#onStream(stream);
  }

  close(): void {
    for (const stream of this.#streams.values()) stream.destroy();
    this.#codec.close();
  }
}
