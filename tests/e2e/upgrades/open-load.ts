import { Agent, request } from 'node:http';

/** What became of one request. */
export interface Sample {
  /** When it was due, in milliseconds since the load began. */
  readonly at: number;
  /** From when it was due to the end of the answer. */
  readonly ms: number;
  /** Which of the targets it was for. */
  readonly target: string;
  /** What was answered; undefined where the request was lost. */
  readonly text: string | undefined;
  /** Why it was lost. */
  readonly why?: string;
}

export interface LoadOptions {
  readonly port: number;
  readonly perSecond: number;
}

/** Requests by the clock, whatever becomes of those before: whoever is slow gets more of them at a time, not fewer. */
export class OpenLoad {
  readonly samples: Sample[] = [];
  readonly #agent = new Agent({ keepAlive: true });
  readonly #startedAt = performance.now();
  readonly #open = new Set<Promise<void>>();
  readonly #options: LoadOptions;
  #targets: readonly string[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #sent = 0;

  constructor(options: LoadOptions) {
    this.#options = options;
    this.#next(0);
  }

  /** Milliseconds since the load began. */
  now(): number {
    return performance.now() - this.#startedAt;
  }

  /** The Host headers of requests from now on, in turn. */
  aimAt(targets: readonly string[]): void {
    this.#targets = targets;
  }

  /** Sends no more, and resolves when all are answered or lost. */
  async stop(): Promise<readonly Sample[]> {
    clearTimeout(this.#timer);
    await Promise.all(this.#open);
    this.#agent.destroy();
    return this.samples;
  }

  /** A timer that fires late makes up for it at once, so that the rate is kept. */
  #next(dueAt: number): void {
    this.#timer = setTimeout(
      () => {
        const sent = this.#send(dueAt);
        this.#open.add(sent);
        void sent.finally(() => this.#open.delete(sent));
        this.#next(dueAt + 1000 / this.#options.perSecond);
      },
      Math.max(0, dueAt - this.now()),
    );
  }

  async #send(dueAt: number): Promise<void> {
    const target = this.#targets[this.#sent % this.#targets.length];
    if (target === undefined) return;
    // Every fourth may not be sent twice.
    const method = this.#sent % 4 === 3 ? 'POST' : 'GET';
    this.#sent += 1;
    const sentAt = this.now();
    // Only a wait of more than a few timers' delay is the load's own; it is counted as latency all the same.
    const base = { at: dueAt, target };
    try {
      const { status, text } = await this.#ask(method, target);
      const ms = this.now() - Math.min(sentAt, dueAt + TIMER_SLACK_MS);
      if (status === 200) this.samples.push({ ...base, ms, text });
      else this.samples.push({ ...base, ms, text: undefined, why: `${status} ${text}` });
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      this.samples.push({ ...base, ms: this.now() - sentAt, text: undefined, why });
    }
  }

  #ask(method: string, host: string): Promise<{ readonly status: number; readonly text: string }> {
    return new Promise((resolve, reject) => {
      const headers = { host, ...(method === 'POST' ? { 'content-length': 2 } : {}) };
      const { port } = this.#options;
      const asked = request({ host: '127.0.0.1', port, method, headers, agent: this.#agent, timeout: LOST_MS });
      asked.once('timeout', () => asked.destroy(new Error(`no answer within ${LOST_MS} ms`)));
      asked.once('error', reject);
      asked.once('response', (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        response.once('error', reject);
        response.once('end', () => resolve({ status: response.statusCode ?? 0, text }));
      });
      asked.end(method === 'POST' ? 'hi' : undefined);
    });
  }
}

const TIMER_SLACK_MS = 5;
const LOST_MS = 20_000;

/** The value that a share of all is not above. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
