import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A TCP proxy in front of an API server whose connections can be cut: at once, or in the middle of what the server sends next. */
export class CuttingProxy {
  readonly #server: Server;
  readonly #pairs = new Set<{ readonly client: Socket; readonly upstream: Socket }>();
  /** How many more bytes of the server's may pass before everything is cut; undefined lets all pass. */
  #bytesLeft: number | undefined;
  /** How many times a connection was cut. */
  cuts = 0;

  private constructor(target: URL) {
    this.#server = createServer((client) => {
      const upstream = connect(Number(target.port), target.hostname);
      const pair = { client, upstream };
      this.#pairs.add(pair);
      for (const [from, to] of [
        [client, upstream],
        [upstream, client],
      ] as const) {
        from.on('error', () => to.destroy());
        from.on('close', () => {
          this.#pairs.delete(pair);
          to.destroy();
        });
      }
      client.on('data', (chunk) => upstream.write(chunk));
      upstream.on('data', (chunk) => this.#pass(chunk, client));
    });
  }

  static async start(target: URL): Promise<CuttingProxy> {
    const proxy = new CuttingProxy(target);
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get url(): URL {
    const { port } = this.#server.address() as AddressInfo;
    return new URL(`https://127.0.0.1:${port}`);
  }

  /** Resolves when somebody is connected. */
  async inUse(): Promise<void> {
    if (this.#pairs.size === 0) await once(this.#server, 'connection');
  }

  /** Cuts all connections now. */
  cut(): void {
    this.#bytesLeft = undefined;
    for (const { client, upstream } of this.#pairs) {
      this.cuts += 1;
      client.resetAndDestroy();
      upstream.destroy();
    }
    this.#pairs.clear();
  }

  /** Cuts once the server has sent this many more bytes. */
  cutAfter(bytes: number): void {
    this.#bytesLeft = bytes;
  }

  async stop(): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #pass(chunk: Buffer, client: Socket): void {
    if (this.#bytesLeft === undefined || chunk.length < this.#bytesLeft) {
      if (this.#bytesLeft !== undefined) this.#bytesLeft -= chunk.length;
      client.write(chunk);
      return;
    }
    const rest = chunk.subarray(0, this.#bytesLeft);
    this.#bytesLeft = undefined;
    client.end(rest, () => this.cut());
  }
}
