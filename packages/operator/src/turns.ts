interface Waiting {
  readonly start: () => Promise<void>;
}

/**
 * Does one piece of work at a time. Groups that have work waiting take turns: a group with a hundred pieces delays each piece of another
 * group by at most one of its own.
 */
export class Turns {
  /** In the order of their next turns; a group without waiting work is absent. */
  readonly #groups = new Map<string, Waiting[]>();
  #isBusy = false;

  /** Runs the work in its turn, perhaps at once. If the signal is aborted while it waits, the work is not run and the promise rejects. */
  take<T>(group: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    return new Promise((resolve, reject) => {
      const waiting = { start: () => work().then(resolve, reject) };
      this.#groups.set(group, [...(this.#groups.get(group) ?? []), waiting]);
      signal?.addEventListener(
        'abort',
        () => {
          this.#drop(group, waiting);
          reject(signal.reason);
        },
        { once: true },
      );
      this.#next();
    });
  }

  #drop(group: string, waiting: Waiting): void {
    const rest = this.#groups.get(group)?.filter((each) => each !== waiting) ?? [];
    if (rest.length === 0) this.#groups.delete(group);
    else this.#groups.set(group, rest);
  }

  #next(): void {
    const [first] = this.#groups;
    if (this.#isBusy || first === undefined) return;
    const [group, [waiting, ...rest]] = first;
    this.#groups.delete(group);
    // The last turn of the round: groups that arrived meanwhile go first.
    if (rest.length > 0) this.#groups.set(group, rest);
    this.#isBusy = true;
    void waiting?.start().finally(() => {
      this.#isBusy = false;
      this.#next();
    });
  }
}
