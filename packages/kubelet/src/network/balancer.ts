import { guardConnection } from '@manta/base';
import { createServer, type Server, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { breakOff, join } from './join.ts';

/** A port of a pod. */
export interface Target {
  readonly ip: string;
  readonly port: number;
}

/** A port that is listened on, and the pods that its connections go to. */
export interface Front {
  readonly host: string;
  readonly port: number;
  readonly targets: readonly Target[];
}

/** Opens a connection to a pod; rejects where nobody answers. */
export type Connect = (target: Target) => Promise<Duplex>;

/** Whoever has not answered by then is passed over. */
const PATIENCE_MS = 3000;
/** A client whose pod is gone says nothing any more. */
const KEEP_ALIVE_MS = 30_000;

/** A port whose connections go to its targets in turn; one that does not answer is passed over for the next. */
export class Balancer {
  readonly #connect: Connect;
  readonly #server: Server;
  readonly #sockets: Set<Duplex>;
  #targets: readonly Target[];
  #turn = 0;

  private constructor(targets: readonly Target[], connect: Connect, sockets: Set<Duplex>) {
    this.#targets = targets;
    this.#connect = connect;
    this.#sockets = sockets;
    // Nothing is read before there is somebody to read it.
    this.#server = createServer(
      { allowHalfOpen: true, pauseOnConnect: true },
      guardConnection('service ports', (client) => this.#serve(client)),
    );
  }

  /** Listens; rejects where the port cannot be had. Connections are kept in the set while they last. */
  static async open({ host, port, targets }: Front, connect: Connect, sockets: Set<Duplex>): Promise<Balancer> {
    const balancer = new Balancer(targets, connect, sockets);
    await new Promise<void>((resolve, reject) => {
      balancer.#server.once('error', reject);
      balancer.#server.listen(port, host, resolve);
    });
    // One that could not be accepted is no reason to fall.
    balancer.#server.on('error', () => undefined);
    return balancer;
  }

  /** Where connections go from now on; those that stand stay. */
  set targets(targets: readonly Target[]) {
    this.#targets = targets;
  }

  /** Frees the port; connections that stand stay. */
  close(): void {
    this.#server.close();
  }

  async #serve(client: Socket): Promise<void> {
    this.#keep(client);
    client.on('error', () => undefined);
    client.setKeepAlive(true, KEEP_ALIVE_MS).setNoDelay(true);
    const far = await this.#reach();
    if (far === undefined) {
      breakOff(client);
      return;
    }
    this.#keep(far);
    join(client, far);
  }

  /** Each target is tried once, beginning with the one whose turn it is. */
  async #reach(): Promise<Duplex | undefined> {
    const targets = this.#targets;
    const first = this.#turn;
    this.#turn += 1;
    for (let n = 0; n < targets.length; n += 1) {
      const target = targets[(first + n) % targets.length];
      const far = target && (await within(PATIENCE_MS, this.#connect(target)).catch(() => undefined));
      if (far !== undefined) return far;
    }
    return undefined;
  }

  #keep(stream: Duplex): void {
    this.#sockets.add(stream);
    stream.once('close', () => this.#sockets.delete(stream));
  }
}

/** A connection that comes too late is closed again. */
async function within(ms: number, opening: Promise<Duplex>): Promise<Duplex> {
  const { promise: never, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`nobody has answered within ${ms / 1000} s`)), ms);
  try {
    return await Promise.race([opening, never]);
  } catch (error) {
    void opening.then(
      (late) => late.destroy(),
      () => undefined,
    );
    throw error;
  } finally {
    clearTimeout(timer);
  }
}
