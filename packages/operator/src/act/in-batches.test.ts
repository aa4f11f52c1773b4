import { expect, it } from 'vitest';
import { inBatches } from './in-batches.ts';

/** Runs so many items on a server where a batch takes as long as told; the sizes of the batches. */
async function batches(count: number, batchMs: (size: number) => number): Promise<readonly number[]> {
  const sizes: number[] = [];
  let nowMs = 0;
  let underWay = 0;
  const items = Array.from({ length: count }, (_, index) => index);
  await inBatches(items, { now: () => nowMs }, async () => {
    underWay += 1;
    await Promise.resolve();
    if (underWay === 0) return undefined;
    sizes.push(underWay);
    nowMs += batchMs(underWay);
    underWay = 0;
    return undefined;
  });
  return sizes;
}

it('goes up to eight at once where the way to the server is what takes time', async () => {
  expect(await batches(31, () => 20)).toEqual([1, 2, 4, 8, 8, 8]);
});

it('stays small where a server does one thing at a time', async () => {
  expect(await batches(9, (size) => 5 * size)).toEqual([1, 2, 1, 2, 1, 2]);
});

it('takes what a server with several cores can give, and no more', async () => {
  expect(await batches(19, (size) => 5 * Math.ceil(size / 4))).toEqual([1, 2, 4, 8, 4]);
  expect(await batches(12, (size) => (size <= 4 ? 5 : 5 * size))).toEqual([1, 2, 4, 5]);
});

it('comes down when the server has become slow, and up again when it is quick', async () => {
  let batch = 0;
  const slowFrom = (from: number, to: number) => (size: number) => {
    batch += 1;
    return batch >= from && batch < to ? 100 * size : 10;
  };
  expect(await batches(45, slowFrom(5, 8))).toEqual([1, 2, 4, 8, 8, 4, 2, 1, 2, 4, 8, 1]);
});

it('stops at the first answer, after the batch that brought it', async () => {
  const tried: number[] = [];
  const answer = await inBatches([0, 1, 2, 3, 4, 5, 6, 7], { now: () => 0 }, async (item) => {
    tried.push(item);
    return item === 3 ? 'enough' : undefined;
  });
  expect(answer).toBe('enough');
  expect(tried).toEqual([0, 1, 2, 3, 4, 5, 6]);
});
