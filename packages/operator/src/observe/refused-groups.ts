import type { ObjectKey } from '@manta/runtime';

const FIRST_MS = 250;
const LONGEST_MS = 60_000;

interface Refusal {
  readonly count: number;
  readonly until: number;
  /** The spec that was refused; another one is tried at once. */
  readonly generation: number | undefined;
}

export interface Moment {
  readonly now: number;
  readonly generation: number | undefined;
}

/**
 * Remembers which groups' pods the API server has refused (a quota, a webhook, a mistake in the template), so that they are tried again
 * less and less often, however often the cluster is looked at for other reasons. A restart forgets it, which costs one try.
 */
export class RefusedGroups {
  readonly #byCluster = new Map<ObjectKey, Map<string, Refusal>>();

  /** Some groups were tried, and of those some were refused. */
  tried(key: ObjectKey, groups: readonly string[], refused: readonly string[], when: Moment): void {
    const known = this.#byCluster.get(key) ?? new Map<string, Refusal>();
    for (const group of groups) {
      if (!refused.includes(group)) known.delete(group);
    }
    for (const group of refused) {
      const count = (known.get(group)?.count ?? 0) + 1;
      const until = when.now + Math.min(LONGEST_MS, FIRST_MS * 2 ** (count - 1));
      known.set(group, { count, until, generation: when.generation });
    }
    if (known.size === 0) this.#byCluster.delete(key);
    else this.#byCluster.set(key, known);
  }

  /** When each group may be tried again. */
  of(key: ObjectKey, generation: number | undefined): ReadonlyMap<string, number> {
    const groups = [...(this.#byCluster.get(key) ?? [])];
    return new Map(
      groups.flatMap(([group, refusal]) => (refusal.generation === generation ? [[group, refusal.until]] : [])),
    );
  }

  forget(key: ObjectKey): void {
    this.#byCluster.delete(key);
  }
}
