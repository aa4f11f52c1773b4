/**
 * Command-line flags as Go's `flag` package reads them, since the manifests that start us were written for a Go program: one or two
 * dashes, `--name=value` or `--name value`, a boolean's value only after `=`.
 */
export type FlagDefinition =
  | { readonly name: string; readonly kind: 'string'; readonly help: string; readonly default?: string }
  | { readonly name: string; readonly kind: 'bool'; readonly help: string; readonly default?: boolean }
  | { readonly name: string; readonly kind: 'int' | 'float'; readonly help: string; readonly default?: number };

/** The type of a definition's parsed value. */
type ValueOf<D extends FlagDefinition> = D extends { kind: 'string' }
  ? string
  : D extends { kind: 'bool' }
    ? boolean
    : number;

/** Only flags that were given are present; defaults are applied elsewhere. */
export type FlagValues<Ds extends readonly FlagDefinition[]> = {
  readonly [D in Ds[number] as D['name']]?: ValueOf<D>;
};

export type ParsedFlags<Ds extends readonly FlagDefinition[]> =
  | { readonly kind: 'values'; readonly values: FlagValues<Ds> }
  | { readonly kind: 'help' }
  | { readonly kind: 'error'; readonly message: string };

/** Parses `args`; the first mistake is reported. */
export function parseGoFlags<const Ds extends readonly FlagDefinition[]>(
  definitions: Ds,
  args: readonly string[],
): ParsedFlags<Ds> {
  const values: Record<string, string | boolean | number> = {};
  for (let i = 0; i < args.length; i += 1) {
    const arg = args[i] ?? '';
    const match = /^--?(?<name>[^-=][^=]*)(?:=(?<value>[\s\S]*))?$/.exec(arg);
    const name = match?.groups?.['name'];
    if (name === undefined)
      return { kind: 'error', message: `unexpected argument "${arg}": every option starts with -- (see --help)` };
    if (name === 'help' || name === 'h') return { kind: 'help' };
    const definition = definitions.find((candidate) => candidate.name === name);
    if (definition === undefined) return { kind: 'error', message: unknownFlag(name, definitions) };

    let text = match?.groups?.['value'];
    if (text === undefined && definition.kind !== 'bool') {
      i += 1;
      text = args[i];
      if (text === undefined)
        return { kind: 'error', message: `--${name} needs a value: --${name}=<${definition.kind}>` };
    }
    const value = readValue(definition.kind, text ?? 'true');
    if (value === undefined) {
      return { kind: 'error', message: `--${name}: "${text}" is not ${EXPECTED[definition.kind]}` };
    }
    values[name] = value;
  }
  // The keys were checked against the definitions and each value was read by its kind.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return { kind: 'values', values: values as FlagValues<Ds> };
}

/** A help page: one flag a line, its default behind it. */
export function describeFlags(definitions: readonly FlagDefinition[]): string {
  const rows = definitions.map((flag) => ({
    left: `  --${flag.name}${flag.kind === 'bool' ? '' : ` <${flag.kind}>`}`,
    right: flag.default === undefined || flag.default === '' ? flag.help : `${flag.help} (default ${flag.default})`,
  }));
  const width = Math.max(...rows.map((row) => row.left.length)) + 2;
  return rows.map((row) => `${row.left.padEnd(width)}${row.right}`).join('\n');
}

const EXPECTED = {
  string: 'a text',
  bool: 'true or false',
  int: 'a whole number',
  float: 'a number',
} as const;

const TRUE = new Set(['1', 't', 'T', 'true', 'TRUE', 'True']);
const FALSE = new Set(['0', 'f', 'F', 'false', 'FALSE', 'False']);

function readValue(kind: FlagDefinition['kind'], text: string): string | boolean | number | undefined {
  switch (kind) {
    case 'string':
      return text;
    case 'bool':
      return TRUE.has(text) ? true : FALSE.has(text) ? false : undefined;
    case 'int':
      return /^[+-]?\d+$/.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : undefined;
    case 'float':
      return /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(text) ? Number(text) : undefined;
  }
}

function unknownFlag(name: string, definitions: readonly FlagDefinition[]): string {
  const closest = definitions
    .map((flag) => ({ name: flag.name, distance: editDistance(name, flag.name) }))
    .toSorted((a, b) => a.distance - b.distance)[0];
  const hint =
    closest !== undefined && closest.distance <= Math.max(2, name.length / 3)
      ? `; did you mean --${closest.name}?`
      : '';
  return `unknown flag --${name}${hint} (--help lists all)`;
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const substitution = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(substitution, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
