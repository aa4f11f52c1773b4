/** How urgent a key is. The numbers are what metrics show. */
export const PRIORITY = { high: 100, normal: 0, low: -100 } as const;

/** The numbers in {@link PRIORITY}, most urgent first when compared. */
export type Priority = (typeof PRIORITY)[keyof typeof PRIORITY];

/** How often a lane may be passed over while it has something, before it is served out of turn. */
const PATIENCE = 8;

interface Lane {
  readonly priority: Priority;
  /** In the order of arrival; a Set so that a key can leave from the middle. */
  readonly keys: Set<string>;
  passedOver: number;
}

/** Keys that are ready, first come first served within a priority. Urgent lanes go first, but no lane waits for ever. */
export class PriorityLanes {
  readonly #lanes: readonly Lane[] = [PRIORITY.high, PRIORITY.normal, PRIORITY.low].map((priority) => ({
    priority,
    keys: new Set<string>(),
    passedOver: 0,
  }));
  readonly #laneOf = new Map<string, Lane>();

  get size(): number {
    return this.#laneOf.size;
  }

  /** How many keys wait at a priority. */
  depth(priority: Priority): number {
    return this.#lanes.find((lane) => lane.priority === priority)?.keys.size ?? 0;
  }

  priorityOf(key: string): Priority | undefined {
    return this.#laneOf.get(key)?.priority;
  }

  /** Appends a key, or moves it up when it already waits at a lower priority. Returns whether it is new here. */
  add(key: string, priority: Priority): boolean {
    const known = this.#laneOf.get(key);
    if (known !== undefined && known.priority >= priority) return false;
    known?.keys.delete(key);
    const lane = this.#lanes.find((candidate) => candidate.priority === priority);
    if (lane === undefined) return false;
    lane.keys.add(key);
    this.#laneOf.set(key, lane);
    return known === undefined;
  }

  /** Takes out the next key in turn. */
  take(): { readonly key: string; readonly priority: Priority } | undefined {
    const lane = this.#nextLane();
    const [key] = lane?.keys ?? [];
    if (lane === undefined || key === undefined) return undefined;
    lane.keys.delete(key);
    this.#laneOf.delete(key);
    for (const other of this.#lanes)
      other.passedOver = other === lane || other.keys.size === 0 ? 0 : other.passedOver + 1;
    return { key, priority: lane.priority };
  }

  clear(): void {
    for (const lane of this.#lanes) lane.keys.clear();
    this.#laneOf.clear();
  }

  #nextLane(): Lane | undefined {
    const waiting = this.#lanes.filter((lane) => lane.keys.size > 0);
    const impatient = waiting.filter((lane) => lane.passedOver >= PATIENCE);
    return impatient.toSorted((a, b) => b.passedOver - a.passedOver)[0] ?? waiting[0];
  }
}
