/**
 * Makes a sequence of choices plainer while it still fails: cuts off its end, takes stretches out, puts zeros into others, in ever
 * smaller stretches. `run` returns the choices that were really made when the run still fails the same way, else nothing.
 */
export async function shrinkTrace(
  trace: readonly number[],
  maxRuns: number,
  run: (trace: readonly number[]) => Promise<readonly number[] | undefined>,
): Promise<readonly number[]> {
  let best = withoutTail(trace);
  let left = maxRuns;
  const isBetter = async (candidate: readonly number[]): Promise<boolean> => {
    if (left <= 0 || isSame(candidate, best)) return false;
    left -= 1;
    const made = await run(candidate);
    if (made === undefined) return false;
    const shorter = withoutTail(made);
    best = isPlainer(shorter, candidate) ? shorter : withoutTail(candidate);
    return true;
  };
  for (const size of sizes(best.length)) {
    if (left <= 0) break;
    while (await isBetter(best.slice(0, Math.max(0, best.length - size)))) if (best.length === 0) return best;
    for (let start = Math.max(0, best.length - size); ; start = Math.max(0, start - size)) {
      const end = start + size;
      const isGone = await isBetter([...best.slice(0, start), ...best.slice(end)]);
      if (!isGone) await isBetter(best.map((value, index) => (index >= start && index < end ? 0 : value)));
      if (start === 0) break;
    }
  }
  return best;
}

/** Halves down to nothing; some things take three choices. */
function sizes(length: number): readonly number[] {
  const halves: number[] = [];
  for (let size = Math.ceil(length / 2); size > 4; size = Math.floor(size / 2)) halves.push(size);
  return [...halves, 4, 3, 2, 1];
}

/** Zeros at the end say nothing. */
function withoutTail(trace: readonly number[]): readonly number[] {
  return trace.slice(0, trace.findLastIndex((value) => value !== 0) + 1);
}

function isPlainer(a: readonly number[], b: readonly number[]): boolean {
  const weight = (trace: readonly number[]) => trace.filter((value) => value !== 0).length;
  return weight(a) <= weight(b) && a.length <= b.length;
}

function isSame(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((value, index) => value === b[index]);
}
