import type { Duplex } from 'node:stream';
import { Balancer, type BalancerParts, type Connect, type Front } from './balancer.ts';
import type { Admit } from './loopback-access.ts';

/** A port that could not be listened on. */
export interface Refusal {
  readonly front: Front;
  readonly error: Error;
}

/** Listens on just the ports that are wanted. */
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
   * Opens what is new, leads on what stays, and closes what is not wanted any more; gives what could not be opened, which is tried again
   * when it is asked for again. A port without targets is not listened on, so that whoever asks is refused, as Kubernetes does it.
   */
  apply(fronts: readonly Front[]): Promise<readonly Refusal[]> {
    const done = this.#last.then(() => this.#apply(fronts));
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

  async #apply(fronts: readonly Front[]): Promise<readonly Refusal[]> {
    const wanted = new Map(fronts.filter(({ targets }) => targets.length > 0).map((front) => [keyOf(front), front]));
    for (const [key, balancer] of this.#open) {
      if (wanted.has(key)) continue;
      this.#open.delete(key);
      balancer.close();
    }
    const refusals: Refusal[] = [];
    for (const [key, front] of wanted) {
      const known = this.#open.get(key);
      if (known !== undefined) known.targets = front.targets;
      else await this.#listen(key, front).catch((error: Error) => refusals.push({ front, error }));
    }
    return refusals;
  }

  async #listen(key: string, front: Front): Promise<void> {
    if (this.#isClosed) return;
    const balancer = await Balancer.open(front, this.#parts);
    if (this.#isClosed) balancer.close();
    else this.#open.set(key, balancer);
  }
}

function keyOf({ host, port }: Front): string {
  return `${host}:${port}`;
}
