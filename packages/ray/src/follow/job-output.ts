/**
 * What a job prints, each piece once: a reopened stream begins at the beginning, and text that was already printed is
 * skipped.
 */
export class JobOutput {
  readonly #print: (text: string) => void;
  #printed = 0;
  #position = 0;

  constructor(print: (text: string) => void) {
    this.#print = print;
  }

  /** The next piece is the first of the job's output again. */
  startOver(): void {
    this.#position = 0;
  }

  push(text: string): void {
    const isNew = text.slice(Math.max(0, this.#printed - this.#position));
    this.#position += text.length;
    if (isNew === '') return;
    this.#printed = this.#position;
    this.#print(isNew);
  }

  /** How much has been passed on. */
  get printed(): number {
    return this.#printed;
  }
}
