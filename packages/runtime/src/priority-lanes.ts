/** How urgent a key is. The numbers are what metrics show. */
export const PRIORITY = { high: 100, normal: 0, low: -100 } as const;

/** The numbers in {@link PRIORITY}, most urgent first when compared. */
export type Priority = (typeof PRIORITY)[keyof typeof PRIORITY];

/** How often a lane may be passed over while it has something, before it is served out of turn. */
const PATIENCE = 8;

interface Lane {
  readonly priority: Priority;
  /**
   * In the order of arrival, from `head` on. A key that has moved to another lane stays behind as a leftover: `#laneOf` has the
   * truth. (A Set would be simpler, but finding its first member costs as much as all those that were taken out before it.)
   */
  queue: string[];
  head: number;
  /** How many keys wait here, leftovers not counted. */
  depth: number;
  passedOver: number;
}

/** Ready keys, first come first served within a priority. Urgent lanes go first, but no lane starves. */
export class PriorityLanes {
  #lanes = emptyLanes();
  readonly #laneOf = new Map<string, Lane>();

  get size(): number {
    return this.#laneOf.size;
  }

  /** How many keys wait at a priority. */
  depth(priority: Priority): number {
    return this.#lanes.find((lane) => lane.priority === priority)?.depth ?? 0;
  }

  priorityOf(key: string): Priority | undefined {
    return this.#laneOf.get(key)?.priority;
  }

  /** Appends a key, or moves it up when it already waits at a lower priority. Returns whether it is new here. */
  add(key: string, priority: Priority): boolean {
    const known = this.#laneOf.get(key);
    if (known !== undefined && known.priority >= priority) return false;
    if (known !== undefined) known.depth -= 1;
    const lane = this.#lanes.find((candidate) => candidate.priority === priority);
    if (lane === undefined) return false;
    lane.queue.push(key);
    lane.depth += 1;
    this.#laneOf.set(key, lane);
    return known === undefined;
  }

  /** Takes out the next key in turn. */
  take(): { readonly key: string; readonly priority: Priority } | undefined {
    const lane = this.#nextLane();
    const key = lane === undefined ? undefined : this.#first(lane);
    if (lane === undefined || key === undefined) return undefined;
    lane.depth -= 1;
    this.#laneOf.delete(key);
    for (const other of this.#lanes) other.passedOver = other === lane || other.depth === 0 ? 0 : other.passedOver + 1;
    return { key, priority: lane.priority };
  }

  clear(): void {
    this.#lanes = emptyLanes();
    this.#laneOf.clear();
  }

  #first(lane: Lane): string | undefined {
    while (lane.head < lane.queue.length) {
      const key = lane.queue[lane.head];
      lane.head += 1;
      if (lane.head * 2 > lane.queue.length) {
        lane.queue = lane.queue.slice(lane.head);
        lane.head = 0;
      }
      if (key !== undefined && this.#laneOf.get(key) === lane) return key;
    }
    return undefined;
  }

  #nextLane(): Lane | undefined {
    const waiting = this.#lanes.filter((lane) => lane.depth > 0);
    const impatient = waiting.filter((lane) => lane.passedOver >= PATIENCE);
    return impatient.toSorted((a, b) => b.passedOver - a.passedOver)[0] ?? waiting[0];
  }
}

function emptyLanes(): readonly Lane[] {
  return [PRIORITY.high, PRIORITY.normal, PRIORITY.low].map((priority) => ({
    priority,
    queue: [],
    head: 0,
    depth: 0,
    passedOver: 0,
  }));
}
