/** Whether a sequence still shows the difference. */
export type StillFails<T> = (sequence: readonly T[]) => Promise<boolean>;

/**
 * The shortest sequence that is found by leaving out operations, then parts of what they hold, as long as it still fails. Stops looking
 * after `attempts` tries.
 */
export async function shrink<T>(
  sequence: readonly T[],
  stillFails: StillFails<T>,
  attempts = 300,
): Promise<readonly T[]> {
  let tried = 0;
  let best = sequence;
  const attempt = async (shorter: readonly T[]): Promise<boolean> => {
    if (++tried > attempts || !(await stillFails(shorter))) return false;
    best = shorter;
    return true;
  };
  for (let size = Math.ceil(sequence.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let from = best.length - size; from > -size; from -= size) {
      await attempt(best.filter((_, i) => i < from || i >= from + size));
    }
  }
  for (let i = 0; i < best.length; i++) {
    let hasShrunk = true;
    while (hasShrunk) {
      hasShrunk = false;
      for (const smaller of smallerValues(best[i])) {
        // A smaller operation is one of the same type: only optional parts are left out, or the servers refuse it alike.
        hasShrunk = await attempt(best.map((each, at) => (at === i ? (smaller as T) : each)));
        if (hasShrunk) break;
      }
    }
  }
  return best;
}

const needed: ReadonlySet<string> = new Set([
  'do',
  'plural',
  'name',
  'by',
  'type',
  'version',
  'body',
  'options',
  'query',
]);

function* smallerValues(value: unknown, isTop = true): Generator {
  if (Array.isArray(value)) {
    for (const [i, each] of value.entries()) {
      yield value.toSpliced(i, 1);
      for (const smaller of smallerValues(each, false)) yield value.with(i, smaller);
    }
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, each] of Object.entries(value)) {
      const { [key]: _, ...rest } = value as Record<string, unknown>;
      if (!isTop || !needed.has(key)) yield rest;
      for (const smaller of smallerValues(each, false)) yield { ...value, [key]: smaller };
    }
  }
}
