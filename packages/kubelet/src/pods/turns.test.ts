import { expect, it } from 'vitest';
import { Turns } from './turns.ts';

it('turns are given in order, no more at a time than there is room, and ending one twice frees one', async () => {
  const turns = new Turns(2);
  const begun: number[] = [];
  const ends: (() => void)[] = [];
  const begin = async (each: number) => {
    ends.push(await turns.take());
    begun.push(each);
  };
  for (const each of [1, 2, 3, 4]) void begin(each);
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  await settle();
  expect(begun).toEqual([1, 2]);
  ends[0]?.();
  ends[0]?.();
  await settle();
  expect(begun).toEqual([1, 2, 3]);
  ends[1]?.();
  await settle();
  expect(begun).toEqual([1, 2, 3, 4]);
});
