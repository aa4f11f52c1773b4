import type { Duplex } from 'node:stream';
import { Balancer, type BalancerParts, type Connect, type BalancedPort } from './balancer.ts';
import type { Admit } from './loopback-access.ts';

/** A port that could not be listened on. */
export interface Refusal {
  readonly balanced: BalancedPort;
  readonly error: Error;
}

/** Listens on exactly the desired ports. */
export class Balancers {
  readonly #parts: BalancerParts;
  readonly #open = new Map<string, Balancer>();
  #last: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  /** `admit` decides which clients are served; all unless given. */
  constructor(connect: Connect, admit?: Admit) {
    this.#parts = { connect, admit, sockets: new Set<Duplex>() };
  }

  /**
   * Opens new ports, updates the targets of existing ones, and closes others. Returns the ports that could not be opened; the next call tries
   * them again. A port without targets is not opened, so that clients are refused, like in Kubernetes.
   */
  apply(ports: readonly BalancedPort[]): Promise<readonly Refusal[]> {
    const done = this.#last.then(() => this.#apply(ports));
    this.#last = done;
    return done;
  }

  /** Frees all ports and ends all connections. */
  close(): void {
    this.#isClosed = true;
    for (const balancer of this.#open.values()) balancer.close();
    this.#open.clear();
    for (const socket of this.#parts.sockets) socket.destroy();
  }

  async #apply(ports: readonly BalancedPort[]): Promise<readonly Refusal[]> {
    const wanted = new Map(
      ports.filter(({ targets }) => targets.length > 0).map((balanced) => [keyOf(balanced), balanced]),
    );
    for (const [key, balancer] of this.#open) {
      if (wanted.has(key)) continue;
      this.#open.delete(key);
      balancer.close();
    }
    const refusals: Refusal[] = [];
    for (const [key, balanced] of wanted) {
      const known = this.#open.get(key);
      if (known !== undefined) known.targets = balanced.targets;
      else await this.#listen(key, balanced).catch((error: Error) => refusals.push({ balanced, error }));
    }
    return refusals;
  }

  async #listen(key: string, balanced: BalancedPort): Promise<void> {
    if (this.#isClosed) return;
    const balancer = await Balancer.open(balanced, this.#parts);
    if (this.#isClosed) balancer.close();
    else this.#open.set(key, balancer);
  }
}

function keyOf({ host, port }: BalancedPort): string {
  return `${host}:${port}`;
}
