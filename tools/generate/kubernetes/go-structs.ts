/** A field of a Go struct as JSON knows it. */
export interface GoField {
  /** Empty: the fields of the type are the struct's own. */
  readonly json: string;
  readonly type: string;
  readonly isOmittedWhenEmpty: boolean;
  readonly isOmittedWhenZero: boolean;
}

/** A declared Go type: a struct, or a name for another type. */
export type GoType = { readonly fields: readonly GoField[] } | { readonly alias: string };

/**
 * Reads the type declarations of a Go source file of Kubernetes' API. Types are named by `package.Name`, where the package is what
 * `packages` gives for an import path; what is in none of them keeps its Go name.
 */
export function parseGoTypes(
  source: string,
  own: string,
  packages: ReadonlyMap<string, string>,
): ReadonlyMap<string, GoType> {
  const imports = importsOf(source, packages);
  const types = new Map<string, GoType>();
  const qualify = (type: string) => qualified(type, own, imports);
  for (const [, name = '', body = ''] of source.matchAll(/^type (\w+) struct ?\{(?:\n([\s\S]*?)^)?\}/gm)) {
    types.set(`${own}.${name}`, { fields: fieldsOf(body, qualify) });
  }
  for (const [, name = '', target = ''] of source.matchAll(/^type (\w+) ((?:\[\]|map\[|\w)[^\n{]*)$/gm)) {
    if (target.startsWith('struct') || target.startsWith('interface')) continue;
    types.set(`${own}.${name}`, { alias: qualify(target.replace(/\s*\/\/.*$/, '').trim()) });
  }
  return types;
}

function importsOf(source: string, packages: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const [, block = ''] = /^import \(([\s\S]*?)^\)/m.exec(source) ?? [];
  const imports = new Map<string, string>();
  for (const [, alias, path = ''] of block.matchAll(/^\s*(\w+)?\s*"([^"]+)"/gm)) {
    imports.set(alias ?? path.slice(path.lastIndexOf('/') + 1), packages.get(path) ?? path);
  }
  return imports;
}

function fieldsOf(body: string, qualify: (type: string) => string): readonly GoField[] {
  const fields: GoField[] = [];
  for (const line of body.split('\n')) {
    const [, first = '', second, tag] = /^\t(\*?[\w.]+)(?:\s+([^\s`]+))?\s+`.*?json:"([^"]*)"/.exec(line) ?? [];
    if (tag === undefined) continue;
    const [json = '', ...options] = tag.split(',');
    if (json === '-') continue;
    fields.push({
      json,
      type: qualify(second ?? first),
      isOmittedWhenEmpty: options.includes('omitempty'),
      isOmittedWhenZero: options.includes('omitzero'),
    });
  }
  return fields;
}

const plain = /^(string|bool|byte|int|int32|int64|uint32|uint64|float32|float64|interface\{\}|any)$/;

function qualified(type: string, own: string, imports: ReadonlyMap<string, string>): string {
  if (type.startsWith('*')) return `*${qualified(type.slice(1), own, imports)}`;
  if (type.startsWith('[]')) return `[]${qualified(type.slice(2), own, imports)}`;
  const [, key, value] = /^map\[([\w.]+)\](.+)$/.exec(type) ?? [];
  if (key !== undefined && value !== undefined) return `map[]${qualified(value, own, imports)}`;
  if (plain.test(type)) return type;
  const [name = '', member] = type.split('.');
  return member === undefined ? `${own}.${name}` : `${imports.get(name) ?? name}.${member}`;
}
