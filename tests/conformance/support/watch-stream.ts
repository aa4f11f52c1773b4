import { Agent, request as httpsRequest } from 'node:https';
import type { ApiAnswer, Credentials } from '../../support/api-request.ts';
import type { Watch, WatchEvent } from './target.ts';

const patienceMs = 15_000;

/** Lines that arrive while somebody may be waiting for them. */
class Inbox {
  readonly #events: WatchEvent[] = [];
  #partial = '';
  #error: Error | undefined;
  #hasEnded = false;
  #wake: () => void = () => undefined;

  push(text: string): void {
    const lines = (this.#partial + text).split('\n');
    this.#partial = lines.pop() ?? '';
    for (const line of lines) if (line !== '') this.#events.push(JSON.parse(line) as WatchEvent);
    this.#wake();
  }

  end(error?: Error): void {
    this.#hasEnded = true;
    this.#error ??= error;
    this.#wake();
  }

  /** The next event, or undefined when the stream has ended. */
  async take(): Promise<WatchEvent | undefined> {
    const deadline = Date.now() + patienceMs;
    for (;;) {
      const event = this.#events.shift();
      if (event !== undefined) return event;
      if (this.#error !== undefined) throw this.#error;
      if (this.#hasEnded) return undefined;
      await this.#news(deadline - Date.now());
    }
  }

  #news(waitMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`the watch said nothing for ${patienceMs / 1000} s`)), waitMs);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

function watchOf(inbox: Inbox, facts: Pick<Watch, 'status' | 'refusal' | 'contentType'>, close: () => void): Watch {
  const next = async () => {
    const event = await inbox.take();
    if (event === undefined) throw new Error('the watch has ended');
    return event;
  };
  return {
    ...facts,
    next,
    until: async (test) => {
      for (const events: WatchEvent[] = []; ; ) {
        const event = await next();
        events.push(event);
        if (test(event)) return events;
      }
    },
    rest: async () => {
      for (const events: WatchEvent[] = []; ; ) {
        const event = await inbox.take();
        if (event === undefined) return events;
        events.push(event);
      }
    },
    close,
  };
}

async function refusalOf(response: AsyncIterable<string>, facts: Omit<ApiAnswer, 'text' | 'body'>): Promise<ApiAnswer> {
  let text = '';
  for await (const chunk of response) text += chunk;
  return { ...facts, text, body: JSON.parse(text) as unknown };
}

/** Opens a watch on a connection of its own; gives it as soon as the server has answered with headers. */
export function openWatch(
  credentials: Credentials,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Watch> {
  const { url, token, ...tls } = credentials;
  const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const agent = new Agent(tls);
  return new Promise((resolve, reject) => {
    const close = () => request.destroy();
    const request = httpsRequest(
      new URL(path, url),
      { agent, headers: { accept: 'application/json', ...authorization, ...headers } },
      (response) => {
        const inbox = new Inbox();
        const status = response.statusCode ?? 0;
        const contentType = response.headers['content-type'] ?? '';
        response.setEncoding('utf8');
        if (status !== 200) {
          refusalOf(response, { status, headers: response.headers })
            .then((refusal) => resolve(watchOf(inbox, { status, refusal, contentType }, close)))
            .catch(reject);
          return;
        }
        response.on('data', (chunk: string) => inbox.push(chunk));
        response.on('end', () => inbox.end());
        response.on('error', (error: Error) => inbox.end(error));
        resolve(watchOf(inbox, { status, refusal: undefined, contentType }, close));
      },
    );
    request.on('error', reject);
    request.end();
  });
}
