import { isAlias, isMap, isNode, isScalar, isSeq, type Pair } from 'yaml';
import type { Finding } from './findings.ts';
import { childOf, type SchemaNode, typeOf } from './schema.ts';

/** Where a YAML tree does not fit a schema: unknown and missing fields, wrong types, values outside an enum or a range. */
export function misfits(node: unknown, schema: SchemaNode): readonly Finding[] {
  if (isAlias(node) || (isScalar(node) && node.value === null)) return [];
  if (schema['x-kubernetes-int-or-string'] === true) return isScalar(node) ? [] : [wrongType(node, schema)];
  switch (schema.type) {
    case 'object':
      return isMap(node)
        ? node.items.flatMap((pair) => inPair(pair, schema)).concat(missing(node, schema))
        : [wrongType(node, schema)];
    case 'array':
      if (!isSeq(node)) return [wrongType(node, schema)];
      return schema.items === undefined ? [] : node.items.flatMap((item) => misfits(item, schema.items ?? {}));
    case undefined:
      return [];
    default:
      return inScalar(node, schema);
  }
}

function inPair({ key, value }: Pair, schema: SchemaNode): readonly Finding[] {
  const name = isScalar(key) ? String(key.value) : '';
  const child = childOf(schema, name);
  if (child !== undefined) return misfits(value, child);
  const isOpen = schema['x-kubernetes-preserve-unknown-fields'] === true || schema.properties === undefined;
  if (isOpen || schema.additionalProperties === true || name === 'status') return [];
  const close = closest(name, Object.keys(schema.properties ?? {}));
  return [finding(key, `Unknown field ${name}.${close === undefined ? '' : ` Did you mean ${close}?`}`)];
}

/** The API server fills in fields that have a default. */
function missing(node: unknown, { required = [], properties = {} }: SchemaNode): readonly Finding[] {
  if (!isMap(node)) return [];
  const absent = required.filter((name) => !node.has(name) && properties[name]?.default === undefined);
  return absent.map((name) => finding(node.items[0]?.key ?? node, `Field ${name} is required here.`));
}

function inScalar(node: unknown, schema: SchemaNode): readonly Finding[] {
  if (!isScalar(node)) return [wrongType(node, schema)];
  const { value } = node;
  const fits =
    schema.type === 'string'
      ? typeof value === 'string'
      : schema.type === 'integer'
        ? Number.isInteger(value)
        : typeof value === schema.type;
  if (!fits) return [wrongType(node, schema)];
  if (schema.enum !== undefined && !schema.enum.includes(value))
    return [finding(node, `${String(value)} is not allowed. Use one of: ${schema.enum.map(String).join(', ')}.`)];
  if (schema.minimum !== undefined && Number(value) < schema.minimum)
    return [finding(node, `The least is ${schema.minimum}.`)];
  if (schema.maximum !== undefined && Number(value) > schema.maximum)
    return [finding(node, `The most is ${schema.maximum}.`)];
  return [];
}

function wrongType(node: unknown, schema: SchemaNode): Finding {
  const quote = schema.type === 'string' && isScalar(node) ? ` Put it in quotes: "${String(node.value)}".` : '';
  return finding(node, `This must be ${/^[aio]/.test(typeOf(schema)) ? 'an' : 'a'} ${typeOf(schema)}.${quote}`);
}

function finding(node: unknown, message: string): Finding {
  const [from = 0, to = 1] = (isNode(node) ? node.range : undefined) ?? [];
  return { from, to: Math.max(to, from + 1), severity: 'error', message };
}

/** The name that differs by few letters, if there is one. */
function closest(name: string, names: readonly string[]): string | undefined {
  const pairs = (text: string) =>
    new Set(Array.from({ length: text.length + 1 }, (_, at) => `^${text}$`.slice(at, at + 2).toLowerCase()));
  const own = pairs(name);
  const [best] = names
    .map((each) => {
      const other = pairs(each);
      const common = [...own].filter((pair) => other.has(pair)).length;
      return { each, likeness: (2 * common) / (own.size + other.size) };
    })
    .toSorted((a, b) => b.likeness - a.likeness);
  return best !== undefined && best.likeness >= 0.6 ? best.each : undefined;
}
