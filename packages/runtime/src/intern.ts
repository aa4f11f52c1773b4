/**
 * Shares equal strings and equal small values between records, so that 50,000 pods of one group keep one copy of what they have in
 * common. Bounded: what was not asked for during the last `generationSize` new values is forgotten (and merely no longer shared).
 */
export class Interner {
  readonly #generationSize: number;
  #young = new Map<string, unknown>();
  #old = new Map<string, unknown>();

  constructor(generationSize = 20_000) {
    this.#generationSize = generationSize;
  }

  /** The one copy of this string. */
  string(value: string): string;
  string(value: string | undefined): string | undefined;
  string(value: string | undefined): string | undefined {
    if (value === undefined) return undefined;
    const known = this.#find(value);
    if (typeof known === 'string') return known;
    this.#remember(value, value);
    return value;
  }

  /** The one copy of this JSON value (labels, a pod template): equal content gives the identical object, which must never be changed. */
  value<T extends object>(value: T): T;
  value<T extends object>(value: T | undefined): T | undefined;
  value<T extends object>(value: T | undefined): T | undefined {
    if (value === undefined) return undefined;
    const content = `\u0000${JSON.stringify(value)}`;
    const known = this.#find(content);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what is stored under this text has exactly this content
    if (known !== undefined) return known as T;
    this.#remember(content, value);
    return value;
  }

  #find(text: string): unknown {
    const young = this.#young.get(text);
    if (young !== undefined) return young;
    const old = this.#old.get(text);
    if (old !== undefined) this.#remember(text, old);
    return old;
  }

  #remember(text: string, value: unknown): void {
    if (this.#young.size >= this.#generationSize) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(text, value);
  }
}
