import fc from 'fast-check';
import type { ResolveSchema, Schema } from '../../packages/apiserver/src/object/schema.ts';

/** How wild the values are. */
export interface Wildness {
  readonly resolve: ResolveSchema;
  /** One value in this many is of any other kind than it should be. */
  readonly damageOneIn: number;
  /** Likely values of fields, by name. */
  readonly likely: Readonly<Record<string, readonly unknown[]>>;
}

const garbage = fc.constantFrom<unknown>(
  true,
  7,
  -1,
  1.5,
  'garbage',
  '',
  'UPPER case!',
  null,
  [],
  {},
  ['a', 'a'],
  { a: 'b' },
  [{}],
);

/** Values that fit a schema, more or less. */
export function arbitraryOf(given: Schema, wildness: Wildness, depth = 0, name = ''): fc.Arbitrary<unknown> {
  const schema = wildness.resolve(given);
  const fitting = fittingOf(schema, wildness, depth, name);
  return fc.oneof({ weight: wildness.damageOneIn - 1, arbitrary: fitting }, { weight: 1, arbitrary: garbage });
}

function fittingOf(schema: Schema, wildness: Wildness, depth: number, name: string): fc.Arbitrary<unknown> {
  const likely = wildness.likely[name];
  if (likely !== undefined) return fc.constantFrom(...likely);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum, 'Unlisted');
  if (schema['x-kubernetes-int-or-string'] === true) return fc.constantFrom(1, '1', '100m', '1Gi', '50%');
  switch (schema.type) {
    case 'object':
      return objectOf(schema, wildness, depth);
    case 'array':
      return fc.array(arbitraryOf(schema.items ?? {}, wildness, depth + 1, `${name}[]`), { maxLength: 2 });
    case 'string':
      return schema.format === 'date-time'
        ? fc.constantFrom('2026-01-01T00:00:00Z', 'yesterday')
        : fc.constantFrom('a', 'b', 'some-name', 'Some_Text', '');
    case 'integer':
      return fc.constantFrom(0, 1, 2, 80, -1, 70_000, 2 ** 31);
    case 'number':
      return fc.constantFrom(0, 1.5, -1);
    case 'boolean':
      return fc.boolean();
    default:
      return fc.constantFrom<unknown>('1', 1, {});
  }
}

function objectOf(schema: Schema, wildness: Wildness, depth: number): fc.Arbitrary<unknown> {
  const { properties, additionalProperties } = schema;
  if (properties === undefined) {
    const value =
      typeof additionalProperties === 'object'
        ? arbitraryOf(additionalProperties, wildness, depth + 1)
        : fc.constant('x');
    return fc.dictionary(fc.constantFrom('a', 'b/c', 'cpu', 'memory', 'not a key'), value, { maxKeys: 2 });
  }
  const names = Object.keys(properties);
  const required = new Set(schema.required);
  const chance = depth < 3 ? 3 : depth < 5 ? 6 : 12;
  const fields = names.map((name) =>
    fc.oneof(
      { weight: required.has(name) ? 24 : 1, arbitrary: fc.constant(true) },
      { weight: required.has(name) ? 1 : chance, arbitrary: fc.constant(false) },
    ),
  );
  return fc.tuple(...fields, fc.integer({ min: 0, max: 20 })).chain((picks) => {
    const chosen = names.filter((_, index) => picks[index] === true);
    const parts = chosen.map((name) =>
      arbitraryOf(properties[name] ?? {}, wildness, depth + 1, name).map((value) => [name, value] as const),
    );
    const unknown = picks.at(-1) === 0 ? [['unknownField', 1] as const] : [];
    return fc.tuple(...parts).map((entries) => Object.fromEntries([...entries, ...unknown]));
  });
}
