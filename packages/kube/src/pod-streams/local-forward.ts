import { guard, guardConnection } from '@manta/base';
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { type Duplex, finished } from 'node:stream';
import { type Clock, systemClock } from '../clock.ts';
import type { Connection } from '../transport/connection.ts';
import { openPodPorts } from './port-forward.ts';

export interface ForwardOptions {
  readonly namespace: string;
  /** A pod's name, or how to find it: asked for each connection, so that a forwarding outlives its pod. */
  readonly pod: string | (() => Promise<string>);
  /** `local` 0 picks a free port. */
  readonly ports: readonly { readonly local: number; readonly remote: number }[];
  /** Where to listen; only this machine by default. */
  readonly address?: string | undefined;
  /** Called when a connection failed; the other connections continue. */
  readonly onError?: ((error: Error, remotePort: number) => void) | undefined;
  readonly clock?: Clock | undefined;
}

export interface PortForwarding {
  /** As asked for, with the ports that were picked. */
  readonly ports: readonly { readonly local: number; readonly remote: number }[];
  /** Stops listening and ends all connections. */
  close(): Promise<void>;
}

/** Idle timeout of a client that has half-closed its connection: the protocol cannot signal the end of the pod's data. */
const LINGER_MS = 5_000;

/** Listens on this machine and carries each connection to the pod's port, over a WebSocket of its own as the protocol needs. */
export async function forwardPorts(connection: Connection, options: ForwardOptions): Promise<PortForwarding> {
  const listeners: Listener[] = [];
  try {
    for (const { local, remote } of options.ports) {
      const listener = new Listener(connection, options, remote);
      listeners.push(listener);
      await listener.listen(local, options.address ?? '127.0.0.1');
    }
  } catch (error) {
    await Promise.all(listeners.map((listener) => listener.close()));
    throw error;
  }
  return {
    ports: listeners.map((listener) => ({ local: listener.localPort, remote: listener.remotePort })),
    close: async () => {
      await Promise.all(listeners.map((listener) => listener.close()));
    },
  };
}

class Listener {
  readonly remotePort: number;
  readonly #connection: Connection;
  readonly #options: ForwardOptions;
  readonly #server: Server;
  readonly #clients = new Set<Socket>();
  readonly #closing = new AbortController();

  constructor(connection: Connection, options: ForwardOptions, remotePort: number) {
    this.#connection = connection;
    this.#options = options;
    this.remotePort = remotePort;
    this.#server = createServer(
      { allowHalfOpen: true, pauseOnConnect: true },
      guardConnection('stream of the API server', (client) => this.#accept(client)),
    );
  }

  get localPort(): number {
    const address = this.#server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  }

  async listen(port: number, address: string): Promise<void> {
    this.#server.listen(port, address);
    await once(this.#server, 'listening');
    // A connection that could not be accepted does not end the others.
    this.#server.on('error', () => undefined);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    for (const client of this.#clients) client.destroy();
    if (!this.#server.listening) return;
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #accept(client: Socket): Promise<void> {
    this.#clients.add(client);
    client.once('close', () => this.#clients.delete(client));
    client.on('error', () => client.destroy());
    try {
      const { namespace, pod: podOrFinder, clock } = this.#options;
      const pod = typeof podOrFinder === 'string' ? podOrFinder : await podOrFinder();
      const [remote] = await openPodPorts(this.#connection, {
        namespace,
        pod,
        ports: [this.remotePort],
        signal: this.#closing.signal,
        clock,
      });
      if (remote !== undefined) this.#join(client, remote);
    } catch (error) {
      this.#report(error);
      client.destroy();
    }
  }

  #join(client: Socket, remote: Duplex): void {
    // Unlike a listener for `error`, this also hears of a stream that has failed already.
    finished(remote, { writable: false }, (error) => {
      if (!error || client.destroyed) return;
      this.#report(error);
      client.destroy();
    });
    client.once('close', () => remote.destroy());
    if (client.destroyed) remote.destroy();
    client.once(
      'end',
      guard('stream of the API server', client, () => lingerThenDestroy(remote, this.#options.clock ?? systemClock)),
    );
    client.pipe(remote, { end: false });
    remote.pipe(client);
    client.resume();
  }

  #report(error: unknown): void {
    if (this.#closing.signal.aborted) return;
    this.#options.onError?.(error instanceof Error ? error : new Error(String(error)), this.remotePort);
  }
}

/** Destroys the stream once it has been silent for a while. */
function lingerThenDestroy(remote: Duplex, clock: Clock): void {
  let cancel = clock.setTimer(LINGER_MS, () => remote.destroy());
  remote.on(
    'data',
    guard('stream of the API server', remote, () => {
      cancel();
      cancel = clock.setTimer(LINGER_MS, () => remote.destroy());
    }),
  );
  remote.once('close', () => cancel());
}
