import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** A cable that can be cut: sits between a client and a server on loopback and does to their bytes what bad networks do. */
export interface FaultyWire {
  readonly port: number;
  /** Connections made through it so far. */
  readonly connectionCount: number;
  /** Ends every connection at once, as a crashed host would (RST). New connections work. */
  cut(): void;
  /** Lets this many more bytes through to the client, over all connections, then cuts: frames and bodies end in the middle. */
  cutAfter(bytesToClient: number): void;
  /** Half-open: connections stay up but no byte passes any more, until `thaw`. New connections are accepted and stay silent. */
  freeze(): void;
  thaw(): void;
  close(): Promise<void>;
}

/** Opens a wire to a port on 127.0.0.1. */
export async function openFaultyWire(targetPort: number): Promise<FaultyWire> {
  const wire = new Wire(targetPort);
  await wire.listen();
  return wire;
}

class Wire implements FaultyWire {
  readonly #targetPort: number;
  readonly #sockets = new Set<Socket>();
  readonly #server = createServer((client) => this.#accept(client));
  #isFrozen = false;
  #bytesUntilCut = Number.POSITIVE_INFINITY;
  connectionCount = 0;

  constructor(targetPort: number) {
    this.#targetPort = targetPort;
  }

  async listen(): Promise<void> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  get port(): number {
    return portOf(this.#server);
  }

  cut(): void {
    this.#bytesUntilCut = Number.POSITIVE_INFINITY;
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  cutAfter(bytesToClient: number): void {
    this.#bytesUntilCut = bytesToClient;
  }

  freeze(): void {
    this.#isFrozen = true;
    for (const socket of this.#sockets) socket.pause();
  }

  thaw(): void {
    this.#isFrozen = false;
    for (const socket of this.#sockets) socket.resume();
  }

  async close(): Promise<void> {
    this.cut();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #accept(client: Socket): void {
    this.connectionCount += 1;
    const server = connect(this.#targetPort, '127.0.0.1');
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      this.#sockets.add(from);
      from.setNoDelay(true);
      if (this.#isFrozen) from.pause();
      from.on('data', (chunk) => this.#pass(chunk, from, to, to === client));
      from.on('end', () => to.end());
      from.on('error', () => undefined);
      from.on('close', () => {
        this.#sockets.delete(from);
        to.destroySoon();
      });
    }
  }

  #pass(chunk: Buffer, from: Socket, to: Socket, isToClient: boolean): void {
    if (isToClient && chunk.length >= this.#bytesUntilCut) {
      // What was let through must arrive before the reset does, which would throw it away.
      to.write(chunk.subarray(0, this.#bytesUntilCut), () => setImmediate(() => this.cut()));
      this.#bytesUntilCut = 0;
      return;
    }
    if (isToClient) this.#bytesUntilCut -= chunk.length;
    if (to.write(chunk)) return;
    from.pause();
    to.once('drain', () => {
      if (!this.#isFrozen) from.resume();
    });
  }
}

/** The port that a listening server was given. */
export function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server does not listen on a port');
  return address.port;
}
