import { usageError } from '../cli-error.ts';

type Given<T> = { readonly [K in keyof T]?: Exclude<T[K], undefined> };

/** A mapping of a configuration file, read key by key. `finish` rejects unread keys. */
export class ConfigFields {
  readonly #file: string;
  readonly #path: string;
  readonly #values: Map<string, unknown>;

  constructor(file: string, path: string, value: unknown) {
    this.#file = file;
    this.#path = path;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw this.#wrong('', 'must be a mapping');
    this.#values = new Map(Object.entries(value));
  }

  /** Text; numbers count as their own text, since people write `cpu: 2`. */
  text(key: string): string | undefined {
    const value = this.#take(key);
    if (value === undefined || typeof value === 'string') return value;
    if (typeof value === 'number') return String(value);
    throw this.#wrong(key, 'must be text');
  }

  integer(key: string): number | undefined {
    const value = this.#take(key);
    if (value === undefined || (typeof value === 'number' && Number.isInteger(value))) return value;
    throw this.#wrong(key, 'must be a whole number');
  }

  flag(key: string): boolean | undefined {
    const value = this.#take(key);
    if (value === undefined || typeof value === 'boolean') return value;
    throw this.#wrong(key, 'must be true or false');
  }

  map(key: string): Readonly<Record<string, string>> | undefined {
    const fields = this.fields(key);
    if (fields === undefined) return undefined;
    const entries = [...fields.#values.keys()].map((name) => [name, fields.text(name) ?? ''] as const);
    return Object.fromEntries(entries);
  }

  fields(key: string): ConfigFields | undefined {
    const value = this.#take(key);
    return value === undefined ? undefined : new ConfigFields(this.#file, this.#below(key), value);
  }

  list(key: string): readonly ConfigFields[] | undefined {
    const value = this.#take(key);
    if (value === undefined) return undefined;
    if (!Array.isArray(value)) throw this.#wrong(key, 'must be a list');
    return value.map((item: unknown, index) => new ConfigFields(this.#file, `${this.#below(key)}[${index}]`, item));
  }

  /** Leaves out what is undefined. */
  optional<T extends object>(values: T): Given<T> {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only undefined values are removed
    return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Given<T>;
  }

  /** Throws for keys that were not read. */
  finish(): void {
    const [unknown] = this.#values.keys();
    if (unknown !== undefined) throw this.#wrong(unknown, 'is not a known key');
  }

  #take(key: string): unknown {
    const value = this.#values.get(key);
    this.#values.delete(key);
    return value ?? undefined;
  }

  #below(key: string): string {
    return this.#path === '' ? key : `${this.#path}.${key}`;
  }

  #wrong(key: string, problem: string): Error {
    const where = key === '' ? this.#path || 'the file' : this.#below(key);
    return usageError(`failed to parse config file: failed to parse YAML: ${this.#file}: ${where} ${problem}`);
  }
}
