/** Keys by the time they fall due: a heap that gives the earliest, where a key may be moved to an earlier time or taken out. */
export class DueTimes {
  /** The truth; heap entries that disagree with it are leftovers and skipped. */
  readonly #dueAt = new Map<string, number>();
  readonly #heap: { readonly key: string; readonly dueAt: number }[] = [];

  get size(): number {
    return this.#dueAt.size;
  }

  dueAt(key: string): number | undefined {
    return this.#dueAt.get(key);
  }

  /** Sets when a key falls due; a time that is already earlier stays. */
  setEarlier(key: string, dueAt: number): void {
    const known = this.#dueAt.get(key);
    if (known !== undefined && known <= dueAt) return;
    this.#dueAt.set(key, dueAt);
    this.#push({ key, dueAt });
  }

  delete(key: string): boolean {
    return this.#dueAt.delete(key);
  }

  clear(): void {
    this.#dueAt.clear();
    this.#heap.length = 0;
  }

  /** When the first key falls due. */
  earliest(): number | undefined {
    this.#skipLeftovers();
    return this.#heap[0]?.dueAt;
  }

  /** Takes out a key that is due by `now`, earliest first. */
  takeDue(now: number): string | undefined {
    this.#skipLeftovers();
    const first = this.#heap[0];
    if (first === undefined || first.dueAt > now) return undefined;
    this.#pop();
    this.#dueAt.delete(first.key);
    return first.key;
  }

  #skipLeftovers(): void {
    for (let top = this.#heap[0]; top !== undefined && this.#dueAt.get(top.key) !== top.dueAt; top = this.#heap[0]) {
      this.#pop();
    }
  }

  #push(item: { readonly key: string; readonly dueAt: number }): void {
    const heap = this.#heap;
    let at = heap.push(item) - 1;
    while (at > 0) {
      const up = (at - 1) >> 1;
      const parent = heap[up];
      if (parent === undefined || parent.dueAt <= item.dueAt) break;
      heap[at] = parent;
      at = up;
    }
    heap[at] = item;
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    let at = 0;
    for (;;) {
      const left = 2 * at + 1;
      const right = left + 1;
      const smaller = (heap[right]?.dueAt ?? Infinity) < (heap[left]?.dueAt ?? Infinity) ? right : left;
      const child = heap[smaller];
      if (child === undefined || child.dueAt >= last.dueAt) break;
      heap[at] = child;
      at = smaller;
    }
    heap[at] = last;
  }
}
