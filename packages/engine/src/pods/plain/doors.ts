import { createServer, type Server, type Socket } from 'node:net';
import type { Dial } from '../network/service-proxy.ts';
import { readFirstLine } from '../machine/connection.ts';

/** A port of this machine. */
export interface Door {
  readonly host: string;
  readonly port: number;
}

/**
 * Ports of this machine that lead to Services. Each is opened when it is first asked for and stays the same while pods behind the Service
 * come and go, so that a program may keep the address. Programs in pods ask for one by a line with a name and a port.
 */
export class Doors {
  readonly #host: string;
  readonly #dial: Dial;
  readonly #apiServer: Door;
  readonly #open = new Map<string, Promise<Door>>();
  readonly #servers: Server[] = [];
  readonly #sockets = new Set<Socket>();

  constructor(host: string, dial: Dial, apiServer: Door) {
    this.#host = host;
    this.#dial = dial;
    this.#apiServer = apiServer;
  }

  /** The door to a port of a Service. */
  of(name: string, port: number): Promise<Door> {
    if (name.startsWith('kubernetes.default')) return Promise.resolve(this.#apiServer);
    const key = `${name}:${port}`;
    const known = this.#open.get(key);
    if (known !== undefined) return known;
    const opened = this.listen((socket) => void this.#lead(socket, name, port));
    this.#open.set(key, opened);
    return opened;
  }

  /** Where programs ask for doors. */
  openPorter(): Promise<Door> {
    return this.listen((socket) => void this.#answer(socket));
  }

  /** A port of its own that hands every connection on. */
  listen(handle: (socket: Socket) => void): Promise<Door> {
    const server = createServer({ allowHalfOpen: true }, (socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
      socket.on('error', () => socket.destroy());
      handle(socket);
    });
    this.#servers.push(server);
    return new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen(0, this.#host, () => {
        const address = server.address();
        resolve({ host: this.#host, port: typeof address === 'object' && address !== null ? address.port : 0 });
      });
    });
  }

  close(): void {
    for (const server of this.#servers) server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  async #lead(socket: Socket, name: string, port: number): Promise<void> {
    try {
      const far = await this.#dial(name, port);
      far.on('error', () => socket.destroy());
      socket.on('error', () => far.destroy());
      socket.once('close', () => far.destroy());
      socket.pipe(far).pipe(socket);
    } catch {
      socket.destroy();
    }
  }

  async #answer(socket: Socket): Promise<void> {
    try {
      const [name = '', port = ''] = (await readFirstLine(socket)).split(' ');
      const door = await this.of(name, Number(port));
      socket.end(`${door.host} ${door.port}\n`);
    } catch {
      socket.destroy();
    }
  }
}
