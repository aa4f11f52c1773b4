import { guardConnection } from '@manta/base';
import { createServer, type Server, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { breakOff, join } from './join.ts';
import type { Admit } from './loopback-access.ts';

/** A port of a pod. */
export interface Target {
  readonly ip: string;
  readonly port: number;
}

/** A port to listen on, and the pods that its connections are balanced over. */
export interface BalancedPort {
  readonly host: string;
  readonly port: number;
  readonly targets: readonly Target[];
}

/** Opens a connection to a pod; rejects if nothing listens there. */
export type Connect = (target: Target) => Promise<Duplex>;

/** What all ports of a kind share. */
export interface BalancerParts {
  readonly connect: Connect;
  /** Which connections are served; all unless given. */
  readonly admit?: Admit | undefined;
  /** Open connections, to both sides. */
  readonly sockets: Set<Duplex>;
}

/** Connect timeout; then the next pod is tried. */
const PATIENCE_MS = 3000;
/** TCP keep-alive, to detect clients whose pod no longer exists. */
const KEEP_ALIVE_MS = 30_000;

/** A port whose connections go to its targets in turn; one that does not answer is passed over for the next. */
export class Balancer {
  readonly #parts: BalancerParts;
  readonly #server: Server;
  #targets: readonly Target[];
  #turn = 0;

  private constructor(targets: readonly Target[], parts: BalancerParts) {
    this.#targets = targets;
    this.#parts = parts;
    // Nothing is read before the client is admitted and a pod has answered.
    this.#server = createServer(
      { allowHalfOpen: true, pauseOnConnect: true },
      guardConnection('service ports', (client) => this.#serve(client)),
    );
  }

  /** Listens; rejects if the port cannot be listened on. */
  static async open({ host, port, targets }: BalancedPort, parts: BalancerParts): Promise<Balancer> {
    const balancer = new Balancer(targets, parts);
    await new Promise<void>((resolve, reject) => {
      balancer.#server.once('error', reject);
      balancer.#server.listen(port, host, resolve);
    });
    // A failed accept must not end the process.
    balancer.#server.on('error', () => undefined);
    return balancer;
  }

  /** The targets of new connections; open connections are kept. */
  set targets(targets: readonly Target[]) {
    this.#targets = targets;
  }

  /** Closes the port; open connections are kept. */
  close(): void {
    this.#server.close();
  }

  async #serve(client: Socket): Promise<void> {
    this.#keep(client);
    client.on('error', () => undefined);
    client.setKeepAlive(true, KEEP_ALIVE_MS).setNoDelay(true);
    const { admit } = this.#parts;
    const isAdmitted = admit === undefined || (await admit(client));
    const far = isAdmitted ? await this.#reach() : undefined;
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
      const far = target && (await within(PATIENCE_MS, this.#parts.connect(target)).catch(() => undefined));
      if (far !== undefined) return far;
    }
    return undefined;
  }

  #keep(stream: Duplex): void {
    const { sockets } = this.#parts;
    sockets.add(stream);
    stream.once('close', () => sockets.delete(stream));
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
