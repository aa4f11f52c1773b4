/** Says how far things are, each stage once, with the seconds since the start. */
export class Stages {
  readonly #started: number;
  readonly #now: () => number;
  readonly #say: (line: string) => void;
  readonly #hasColours: boolean;
  readonly #seen = new Set<string>();

  constructor(say: (line: string) => void, hasColours: boolean, now: () => number = () => performance.now()) {
    this.#say = say;
    this.#hasColours = hasColours;
    this.#now = now;
    this.#started = now();
  }

  /** Does nothing when this stage has been reached before. */
  reach(stage: string): void {
    if (this.#seen.has(stage)) return;
    this.#seen.add(stage);
    const seconds = `${((this.#now() - this.#started) / 1000).toFixed(1)} s`.padStart(8);
    this.#say(`${this.#dim(seconds)}  ${stage}`);
  }

  #dim(text: string): string {
    return this.#hasColours ? `\u001b[2m${text}\u001b[22m` : text;
  }
}
