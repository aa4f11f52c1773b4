import { setTimeout as sleep } from 'node:timers/promises';
import type { LocalRay } from './local-ray.ts';
import { getText } from './look.ts';

/** Requests that do not stop until they are told to. */
export interface Load {
  /** Requests that were answered with 200. */
  answered(): number;
  /** What came instead of an answer, one line for each request. */
  readonly lost: readonly string[];
  stop(): Promise<void>;
}

/** Sends requests to a path of the API, this many at a time. */
export function startLoad(ray: LocalRay, path: string, atOnce = 4): Load {
  const lost: string[] = [];
  let answered = 0;
  const over = new AbortController();
  const one = async () => {
    while (!over.signal.aborted) {
      const began = new Date().toISOString();
      try {
        const { status, text } = await getText(ray, path);
        if (status === 200) answered += 1;
        else lost.push(`${began} ${status} ${text.slice(0, 200)}`);
      } catch (error) {
        lost.push(`${began} ${String(error)}`);
      }
      await sleep(20);
    }
  };
  const running = Array.from({ length: atOnce }, one);
  return {
    answered: () => answered,
    lost,
    async stop() {
      over.abort();
      await Promise.all(running);
    },
  };
}
