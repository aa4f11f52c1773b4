/** The `count` smallest numbers from 0 on that are not taken. */
export function smallestFree(taken: Iterable<number>, count: number): readonly number[] {
  const used = new Set(taken);
  const free: number[] = [];
  for (let n = 0; free.length < count; n += 1) if (!used.has(n)) free.push(n);
  return free;
}
