import { Agent, request } from 'node:http';

/** What became of the requests of a constant load. */
export interface LoadResult {
  readonly answers: ReadonlyMap<string, number>;
  readonly failures: readonly string[];
}

/** Clients that ask one request after the other, GET and POST in turn, until they are stopped. */
export function startLoad(port: number, host: string, clients = 8) {
  const agent = new Agent({ keepAlive: true, maxSockets: clients });
  const answers = new Map<string, number>();
  const failures: string[] = [];
  const state = { isRunning: true, sent: 0 };
  const client = async () => {
    while (state.isRunning) {
      state.sent += 1;
      const method = state.sent % 2 === 0 ? 'POST' : 'GET';
      const answer = await ask(port, host, { method, agent }).catch((error: Error) => ({
        status: 0,
        body: error.message,
      }));
      if (answer.status === 200) answers.set(answer.body, (answers.get(answer.body) ?? 0) + 1);
      else failures.push(`${answer.status} ${answer.body}`);
    }
  };
  const running = Array.from({ length: clients }, client);
  return {
    /** Resolves when that many more requests have been sent. */
    async more(count: number): Promise<void> {
      const goal = state.sent + count;
      while (state.sent < goal) await new Promise((resolve) => setImmediate(resolve));
    },
    async stop(): Promise<LoadResult> {
      state.isRunning = false;
      await Promise.all(running);
      agent.destroy();
      return { answers, failures };
    },
  };
}

/** One request; the whole answer. */
export function ask(
  port: number,
  host: string,
  { method = 'GET', agent }: { readonly method?: string; readonly agent?: Agent } = {},
): Promise<{ readonly status: number; readonly body: string }> {
  return new Promise((resolve, reject) => {
    const headers = { host, ...(method === 'POST' ? { 'content-length': 5 } : {}) };
    const asked = request({ host: '127.0.0.1', port, method, headers, agent: agent ?? false }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (text: string) => (body += text));
      response.on('error', reject);
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: body.trimEnd() }));
    });
    asked.on('error', reject);
    asked.end(method === 'POST' ? 'hello' : undefined);
  });
}
