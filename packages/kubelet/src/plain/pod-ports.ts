import type { PortPool } from './port-pool.ts';

/** Ray's default ports, and Serve's. */
export const RAY_PORTS: Readonly<Record<string, number>> = {
  port: 6379,
  'dashboard-port': 8265,
  'dashboard-agent-listen-port': 52_365,
  'metrics-export-port': 8080,
  'ray-client-server-port': 10_001,
  autoscalerMetrics: 44_217,
  dashboardMetrics: 44_227,
  serve: 8000,
  serveGrpc: 9000,
};

const PORT_FLAGS =
  /--(?:port|dashboard-port|dashboard-agent-listen-port|metrics-export-port|ray-client-server-port)[= ](\d{1,5})\b/g;

/** The mapping of a pod's ports to ports of the machine. */
export class PodPorts {
  readonly #pool: PortPool;
  readonly #real = new Map<number, number>();
  readonly #declared = new Set<number>();

  constructor(pool: PortPool) {
    this.#pool = pool;
  }

  /** Sees to it that these, which Ray takes, have their own. */
  async add(ports: Iterable<number>): Promise<void> {
    for (const port of ports) {
      this.#declared.delete(port);
      if (!this.#real.has(port)) this.#real.set(port, await this.#pool.take());
    }
  }

  /** Likewise these, of which nothing is known but that a container listens on them. */
  async declare(ports: Iterable<number>): Promise<void> {
    for (const port of ports) {
      if (this.#real.has(port)) continue;
      await this.add([port]);
      this.#declared.add(port);
    }
  }

  /** Whether the program that listens on it may have taken the very port, because it knows nothing of ours. */
  mayBeItself(port: number): boolean {
    return this.#declared.has(port) || !this.#real.has(port);
  }

  /** The machine's port for one of the pod's; the same where it has none. */
  realOf(port: number): number {
    return this.#real.get(port) ?? port;
  }

  has(port: number): boolean {
    return this.#real.has(port);
  }

  toObject(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#real);
  }

  giveBack(): void {
    for (const port of this.#real.values()) this.#pool.give(port);
    this.#real.clear();
    this.#declared.clear();
  }
}

/** The ports in a `ray start` command. */
export function portsIn(words: readonly string[]): readonly number[] {
  return words.flatMap((word) => [...word.matchAll(PORT_FLAGS)].map((match) => Number(match[1])));
}
