import { createServer } from 'node:net';

/** Below the range from which systems take ports for outgoing connections, above what programs usually listen on. */
const FIRST = 20_000;
const COUNT = 12_000;

/** Free ports of this machine, each allocated to one pod at a time. */
export class PortPool {
  readonly #taken = new Set<number>();
  readonly #isFree: (port: number) => Promise<boolean>;
  #next: number;

  /** Begins anywhere, so that two engines on a machine seldom meet. */
  constructor(random: () => number = Math.random, isFree: (port: number) => Promise<boolean> = canListen) {
    this.#next = Math.floor(random() * COUNT);
    this.#isFree = isFree;
  }

  async take(): Promise<number> {
    for (let attempt = 0; attempt < COUNT; attempt++) {
      const port = FIRST + this.#next;
      this.#next = (this.#next + 1) % COUNT;
      if (this.#taken.has(port)) continue;
      this.#taken.add(port);
      if (await this.#isFree(port)) return port;
      this.#taken.delete(port);
    }
    throw new Error(`no port from ${FIRST} to ${FIRST + COUNT - 1} is free on this machine`);
  }

  give(port: number): void {
    this.#taken.delete(port);
  }
}

function canListen(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen({ port, host: '0.0.0.0', exclusive: true }, () => server.close(() => resolve(true)));
  });
}
