import { connect, type Socket } from 'node:net';

/**
 * Loads a server with GETs over connections that stay open, and prints what came of it.
 * Arguments: port, connections, requests in all, requests a second (0: as many as there can be).
 */

const [port = 0, connections = 1, total = 1, rate = 0] = process.argv.slice(2).map(Number);
const REQUEST = 'GET /predict HTTP/1.1\r\nhost: gateway.bench\r\nuser-agent: bench\r\naccept: */*\r\n\r\n';

/** One connection that has one request at a time under way. */
class Line {
  readonly #socket: Socket;
  #rest: Buffer = Buffer.alloc(0);
  #answered: ((ok: boolean) => void) | undefined;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on('data', (chunk) => this.#read(chunk));
    socket.on('error', () => this.#answered?.(false));
  }

  ask(): Promise<boolean> {
    return new Promise((resolve) => {
      this.#answered = resolve;
      this.#socket.write(REQUEST);
    });
  }

  end(): void {
    this.#socket.destroy();
  }

  #read(chunk: Buffer): void {
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const end = this.#rest.indexOf('\r\n\r\n');
    if (end < 0) return;
    const head = this.#rest.toString('latin1', 0, end);
    const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? Number.NaN);
    if (this.#rest.length < end + 4 + length) return;
    this.#rest = this.#rest.subarray(end + 4 + length);
    this.#answered?.(head.startsWith('HTTP/1.1 200'));
  }
}

async function open(): Promise<Line> {
  const socket = connect(port, '127.0.0.1');
  await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject));
  return new Line(socket);
}

async function main(): Promise<void> {
  const lines = await Promise.all(Array.from({ length: connections }, open));
  for (const line of lines) for (let i = 0; i < 20; i += 1) await line.ask();
  const latencies: number[] = [];
  let failures = 0;
  let sent = 0;
  const started = performance.now();
  const one = async (line: Line, dueAt: number) => {
    const isOk = await line.ask();
    latencies.push(performance.now() - dueAt);
    failures += Number(!isOk);
  };
  const busy = async (line: Line) => {
    for (; sent < total; ) {
      sent += 1;
      await one(line, performance.now());
    }
  };
  /** By the clock, whatever the answers take: a wait for a free connection counts as waiting. */
  const paced = async (line: Line) => {
    for (; sent < total; ) {
      const dueAt = started + (sent * 1000) / rate;
      sent += 1;
      const waitMs = dueAt - performance.now();
      if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
      // A timer that fires late is nobody's latency; a connection that was still busy is.
      await one(line, waitMs > 0 ? performance.now() : dueAt);
    }
  };
  await Promise.all(lines.map(rate === 0 ? busy : paced));
  const seconds = (performance.now() - started) / 1000;
  for (const line of lines) line.end();
  const sorted = latencies.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  console.log(
    JSON.stringify({ requestsPerSecond: sorted.length / seconds, failures, p50Ms: at(0.5), p99Ms: at(0.99) }),
  );
}

await main();
