import { guardConnection } from '@manta/base';
import { createServer, type Server, type Socket } from 'node:net';
import { breakOff, join } from '../network/join.ts';
import type { Admit } from '../network/loopback-access.ts';
import type { Dial } from '../network/service-proxy.ts';
import { readFirstLine } from '../supervisor/connection.ts';

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
  readonly #admit: Admit | undefined;
  readonly #open = new Map<string, Promise<Door>>();
  readonly #servers = new Map<number, Server>();
  #services: ReadonlySet<string> = new Set();
  readonly #sockets = new Set<Socket>();

  /** `admit` decides which clients are served; all unless given. */
  constructor(host: string, dial: Dial, apiServer: Door, admit?: Admit) {
    this.#host = host;
    this.#dial = dial;
    this.#apiServer = apiServer;
    this.#admit = admit;
  }

  /** The door to a port of a Service. */
  of(name: string, port: number): Promise<Door> {
    if (name.startsWith('kubernetes.default')) return Promise.resolve(this.#apiServer);
    const key = `${name}:${port}`;
    const known = this.#open.get(key);
    if (known !== undefined) return known;
    const opened = this.listen((socket) => void this.#lead(socket, name, port));
    this.#open.set(key, opened);
    opened.catch(() => this.#open.delete(key));
    return opened;
  }

  /** Must be called with the existing Services (`name.namespace`): closes doors of deleted ones. A Service that does not exist yet keeps its door. */
  async servicesAre(services: ReadonlySet<string>): Promise<void> {
    const gone = new Set([...this.#services].filter((each) => !services.has(each)));
    this.#services = services;
    await this.forget((name) => gone.has(serviceOf(name)));
  }

  /** Closes the doors to these names; connections through them stay. */
  async forget(isGone: (name: string) => boolean): Promise<void> {
    for (const [key, opened] of this.#open) {
      if (!isGone(key.slice(0, key.lastIndexOf(':')))) continue;
      this.#open.delete(key);
      const door = await opened.catch(() => undefined);
      if (door === undefined) continue;
      this.#servers.get(door.port)?.close();
      this.#servers.delete(door.port);
    }
  }

  /** Where programs ask for doors. */
  openPorter(): Promise<Door> {
    return this.listen((socket) => void this.#answer(socket));
  }

  /** A port of its own that hands every admitted connection on. */
  listen(handle: (socket: Socket) => void): Promise<Door> {
    const server = createServer(
      { allowHalfOpen: true },
      guardConnection('sandbox', async (socket) => {
        this.#sockets.add(socket);
        socket.once('close', () => this.#sockets.delete(socket));
        socket.on('error', () => socket.destroy());
        if (this.#admit !== undefined && !(await this.#admit(socket))) breakOff(socket);
        else handle(socket);
      }),
    );
    return new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen(0, this.#host, () => {
        const address = server.address();
        const port = typeof address === 'object' && address !== null ? address.port : 0;
        server.on('error', () => undefined);
        this.#servers.set(port, server);
        resolve({ host: this.#host, port });
      });
    });
  }

  close(): void {
    for (const server of this.#servers.values()) server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  async #lead(socket: Socket, name: string, port: number): Promise<void> {
    try {
      join(socket, await this.#dial(name, port));
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

/** `name.namespace` of a Service's full name; empty for what is none. */
function serviceOf(host: string): string {
  const [name = '', namespace = '', svc = ''] = host.split('.');
  return svc === 'svc' ? `${name}.${namespace}` : '';
}
