import { ConfigError } from './config-error.ts';

/** A mapping from a configuration file, read field by field with errors that say where it stands. Null and '' count as absent. */
export class Fields {
  readonly file: string;
  /** E.g. `user "dev"`; empty at the top of the file. */
  readonly owner: string;
  readonly #values: ReadonlyMap<string, unknown>;

  constructor(file: string, owner: string, value: unknown) {
    this.file = file;
    this.owner = owner;
    if (value !== undefined && value !== null && !isMapping(value)) {
      throw new ConfigError(`${file}: ${owner || 'the file'} must be a mapping of fields, not ${describe(value)}`, {
        file,
        field: owner,
      });
    }
    this.#values = new Map(Object.entries(value ?? {}));
  }

  /** The error for one of these fields; `problem` continues the sentence after the field's name. */
  error(field: string, problem: string, cause?: unknown): ConfigError {
    const path = this.owner === '' ? field : `${this.owner}: ${field}`;
    return new ConfigError(`${this.file}: ${path} ${problem}`, { file: this.file, field: path, cause });
  }

  text(field: string): string | undefined {
    const value = this.#values.get(field);
    if (value === undefined || value === null || value === '') return undefined;
    if (typeof value !== 'string') throw this.error(field, `must be text, not ${describe(value)}; put it in quotes`);
    return value;
  }

  flag(field: string): boolean {
    const value = this.#values.get(field) ?? false;
    if (typeof value !== 'boolean') throw this.error(field, `must be true or false, not ${describe(value)}`);
    return value;
  }

  raw(field: string): unknown {
    return this.#values.get(field) ?? undefined;
  }

  list(field: string): readonly unknown[] {
    const value = this.#values.get(field) ?? [];
    if (!Array.isArray(value)) throw this.error(field, `must be a list, not ${describe(value)}`);
    return value;
  }

  texts(field: string): readonly string[] {
    return this.list(field).map((value) => {
      if (typeof value !== 'string') {
        throw this.error(field, `must be a list of texts; it holds ${describe(value)}: put it in quotes`);
      }
      return value;
    });
  }

  mapping(field: string): Fields | undefined {
    const value = this.#values.get(field);
    return value === undefined || value === null ? undefined : new Fields(this.file, this.#below(field), value);
  }

  mappings(field: string): readonly Fields[] {
    return this.list(field).map((value, index) => new Fields(this.file, this.#below(`${field}[${index}]`), value));
  }

  /** The same mapping with other values in some fields: `undefined` keeps the old value, `null` removes the field. */
  with(changes: Readonly<Record<string, unknown>>): Fields {
    const given = Object.entries(changes).filter(([, value]) => value !== undefined);
    return given.length === 0
      ? this
      : new Fields(this.file, this.owner, Object.fromEntries([...this.#values, ...given]));
  }

  names(): readonly string[] {
    return [...this.#values.keys()];
  }

  #below(field: string): string {
    return this.owner === '' ? field : `${this.owner}: ${field}`;
  }
}

function isMapping(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function describe(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (isMapping(value)) return 'a mapping';
  return typeof value === 'string' ? 'text' : `the ${typeof value} ${String(value)}`;
}
