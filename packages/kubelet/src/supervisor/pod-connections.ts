import { guard } from '@manta/base';
import { connect, type Socket } from 'node:net';
import type { Target } from '../network/balancer.ts';

/** Connections to pods. They end with their pod: what the kernel says last of a network that it takes down may be lost. */
export class PodConnections {
  readonly #open = new Map<string, Set<Socket>>();

  /** Rejects if nothing listens there. */
  connect({ ip, port }: Target): Promise<Socket> {
    return new Promise((resolve, reject) => {
      const socket = connect({ host: ip, port, allowHalfOpen: true, noDelay: true });
      this.#keep(ip, socket);
      socket.once('error', reject);
      socket.once('connect', () => resolve(socket.off('error', reject)));
      // A connection that ended while it was being opened emits no event.
      socket.once('close', () => reject(new Error(`the pod at ${ip} is gone`)));
    });
  }

  /** Ends all that lead to this address. */
  endOf(ip: string): void {
    for (const socket of this.#open.get(ip) ?? []) socket.destroy();
  }

  #keep(ip: string, socket: Socket): void {
    const all = this.#open.get(ip) ?? new Set();
    this.#open.set(ip, all.add(socket));
    socket.once(
      'close',
      guard('supervisor', socket, () => {
        all.delete(socket);
        if (all.size === 0 && this.#open.get(ip) === all) this.#open.delete(ip);
      }),
    );
  }
}
