/** Lets at most so many pieces of work go on at once at one head, first come first served. */
export class Lane {
  readonly #max: number;
  readonly #onEmpty: () => void;
  readonly #waiting: (() => Promise<void>)[] = [];
  #underWay = 0;

  constructor(max: number, onEmpty: () => void) {
    this.#max = max;
    this.#onEmpty = onEmpty;
  }

  /** Nothing waits and nothing is under way. */
  get isEmpty(): boolean {
    return this.#underWay === 0 && this.#waiting.length === 0;
  }

  /** Runs the work, which never rejects, when it is its turn, perhaps at once. */
  add(run: () => Promise<void>): void {
    this.#waiting.push(run);
    this.#pump();
  }

  #pump(): void {
    while (this.#underWay < this.#max) {
      const run = this.#waiting.shift();
      if (run === undefined) return;
      this.#underWay += 1;
      void run().finally(() => {
        this.#underWay -= 1;
        if (this.isEmpty) this.#onEmpty();
        this.#pump();
      });
    }
  }
}
