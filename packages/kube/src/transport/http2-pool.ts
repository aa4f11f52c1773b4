import type { Socket } from 'node:net';
import type { Credentials } from './connection.ts';
import { AttemptError } from './attempt-error.ts';
import type { CallGuard } from './call-guard.ts';
import { Http2Session } from './http2-session.ts';
import { type OpenedSocket, openSocket, type SocketOptions } from './open-socket.ts';

export interface PoolOptions extends SocketOptions {
  readonly readIdleMs: number;
  readonly pingTimeoutMs: number;
  /** Another session is opened when all streams of the others are taken; beyond this many, requests wait. */
  readonly maxSessions: number;
  /** The server does not speak HTTP/2; this socket is ready for HTTP/1.1. */
  onHttp1(socket: Socket): void;
}

interface Waiter {
  readonly credentials: Credentials;
  readonly resolve: (session: Http2Session | undefined) => void;
  readonly reject: (reason: unknown) => void;
}

/** The sessions to one server: usually one; another while an old one drains or when all streams are taken. */
export class Http2Pool {
  readonly #options: PoolOptions;
  readonly #sessions: Http2Session[] = [];
  readonly #waiters: Waiter[] = [];
  #isConnecting = false;
  #closedBecause: Error | undefined;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  /**
   * A session with room kept for one request under these credentials; at once where there is one. Undefined when it turned out that
   * the server speaks HTTP/1.1 only.
   */
  acquire(credentials: Credentials, guard: CallGuard): Http2Session | Promise<Http2Session | undefined> {
    if (this.#waiters.length === 0) {
      const session = this.#find(credentials);
      if (session !== undefined) return session;
    }
    return new Promise((resolve, reject) => {
      const waiter = { credentials, resolve, reject };
      this.#waiters.push(waiter);
      guard.whenStopped((reason) => {
        const index = this.#waiters.indexOf(waiter);
        if (index >= 0) this.#waiters.splice(index, 1);
        reject(reason);
      });
      this.#serveWaiters();
    });
  }

  close(reason: Error): void {
    this.#closedBecause = reason;
    for (const waiter of this.#waiters.splice(0)) waiter.reject(reason);
    for (const session of this.#sessions) session.destroy(reason);
  }

  #find(credentials: Credentials): Http2Session | undefined {
    for (const session of this.#sessions) {
      if (!isSameIdentity(session.credentials, credentials)) session.drain();
      else if (session.hasRoom) {
        session.reserve();
        return session;
      }
    }
    return undefined;
  }

  #serveWaiters(): void {
    for (;;) {
      const waiter = this.#waiters[0];
      if (waiter === undefined) return;
      const session = this.#find(waiter.credentials);
      if (session === undefined) {
        this.#growFor(waiter.credentials);
        return;
      }
      this.#waiters.shift();
      waiter.resolve(session);
    }
  }

  #growFor(credentials: Credentials): void {
    const usable = this.#sessions.filter((session) => !session.isDraining).length;
    if (this.#isConnecting || usable >= this.#options.maxSessions) return;
    this.#isConnecting = true;
    openSocket(this.#options, credentials, ['h2', 'http/1.1']).then(
      (opened) => this.#opened(opened, credentials),
      (error: unknown) => {
        this.#isConnecting = false;
        for (const waiter of this.#waiters.splice(0)) waiter.reject(error);
      },
    );
  }

  #opened({ socket, tcp, protocol }: OpenedSocket, credentials: Credentials): void {
    this.#isConnecting = false;
    if (this.#closedBecause !== undefined) {
      socket.destroy();
      return;
    }
    if (socket.destroyed) {
      const { host } = this.#options.connection.server;
      const lost = new AttemptError(`${host} closed the connection as soon as it was made`, 'now', {});
      for (const waiter of this.#waiters.splice(0)) waiter.reject(lost);
      return;
    }
    if (protocol !== 'h2') {
      this.#options.onHttp1(socket);
      for (const waiter of this.#waiters.splice(0)) waiter.resolve(undefined);
      return;
    }
    const { clock, readIdleMs, pingTimeoutMs, connection } = this.#options;
    const session = new Http2Session(socket, tcp, {
      clock,
      readIdleMs,
      pingTimeoutMs,
      credentials,
      origin: connection.server.origin,
      onChange: this.#onSessionChange,
    });
    this.#sessions.push(session);
    this.#serveWaiters();
  }

  readonly #onSessionChange = (session: Http2Session): void => {
    if (session.isGone) {
      const index = this.#sessions.indexOf(session);
      if (index >= 0) this.#sessions.splice(index, 1);
    }
    if (this.#waiters.length > 0) this.#serveWaiters();
  };
}

function isSameIdentity(one: Credentials, other: Credentials): boolean {
  return one === other || (one.cert === other.cert && one.key === other.key);
}
