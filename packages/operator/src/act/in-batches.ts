import type { Clock } from '@manta/kube';

/** What is refused is refused once, not five hundred times; and no one object takes the server for itself. */
const MAX_BATCH = 8;
/** Twice as many at once pay while they take at most this share of the time that they would take one after the other. */
const PAYS_BELOW = 0.6;

/**
 * Runs all items in parallel batches of 1, 2, 4 … If a batch takes nearly as long as its items one by one, the API server is saturated and
 * other requests would wait: the next batch is half as large. All items of a batch are tried; the first problem stops later batches.
 */
export async function inBatches<Item, Answer>(
  items: readonly Item[],
  clock: Pick<Clock, 'now'>,
  run: (item: Item, index: number) => Promise<Answer | undefined>,
): Promise<Answer | undefined> {
  let aloneMs = 0;
  for (let done = 0, size = 1; done < items.length; ) {
    const startedAt = clock.now();
    const answers = await Promise.all(items.slice(done, done + size).map((item, at) => run(item, done + at)));
    const answer = answers.find((each) => each !== undefined);
    if (answer !== undefined) return answer;
    const tookMs = clock.now() - startedAt;
    if (size === 1) aloneMs = tookMs;
    done += size;
    const pays = size === 1 || tookMs <= PAYS_BELOW * size * aloneMs;
    size = pays ? Math.min(size * 2, MAX_BATCH) : size / 2;
  }
  return undefined;
}
