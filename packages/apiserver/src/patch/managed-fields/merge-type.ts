import type { Json } from '../../object/json.ts';
import type { ResolveSchema, Schema } from '../../object/schema.ts';
import { identitySchemas, objectMetaSchema } from './object-meta-schema.ts';

/** What a value may be for merging: at most one of each form. */
export interface Atom {
  readonly scalar?: Scalar;
  readonly list?: ListType;
  readonly map?: MapType;
}

/** `untyped`: any scalar. */
export type Scalar = 'numeric' | 'string' | 'boolean' | 'untyped';

/** Atomic lists have one owner; items of other lists are identified by `keys`, or by value without keys. */
export interface ListType {
  readonly isAtomic: boolean;
  readonly keys: readonly string[];
  readonly item: MergeType;
}

/** Objects and maps alike: named fields, and what other keys may hold (undefined: there may be none). */
export interface MapType {
  readonly isAtomic: boolean;
  readonly fields: ReadonlyMap<string, FieldType>;
  readonly rest: MergeType | undefined;
}

/** A named field; the default matters where the field is a list key that an item leaves out. */
export interface FieldType {
  readonly type: MergeType;
  readonly default: Json | undefined;
}

/** A type, worked out when it is first asked for: schemas refer to themselves. */
export type MergeType = () => Atom;

const untyped: MergeType = () => ({
  scalar: 'untyped',
  list: { isAtomic: true, keys: [], item: untyped },
  map: { isAtomic: true, fields: new Map(), rest: untyped },
});

/** Values without a schema: maps merge key by key, lists are replaced. */
export const deducedType: MergeType = () => deducedAtom;

const deducedAtom: Atom = {
  scalar: 'untyped',
  list: { isAtomic: true, keys: [], item: untyped },
  map: { isAtomic: false, fields: new Map(), rest: deducedType },
};

/** Reads a schema as a merge type. Schemas are immutable, so each is read once. */
export function mergeType(schema: Schema, resolve: ResolveSchema): MergeType {
  return typeOf(schema, { resolve, keepsUnknown: false });
}

interface Context {
  readonly resolve: ResolveSchema;
  /** Whether an enclosing schema preserves unknown fields. */
  readonly keepsUnknown: boolean;
}

const cache = new WeakMap<Schema, Map<string, Atom>>();

function typeOf(schema: Schema, context: Context): MergeType {
  return () => {
    const known = cache.get(schema) ?? new Map<string, Atom>();
    cache.set(schema, known);
    const key = context.keepsUnknown ? 'keeps' : 'plain';
    const atom = known.get(key) ?? readAtom(schema, context);
    known.set(key, atom);
    return atom;
  };
}

function readAtom(schema: Schema, context: Context): Atom {
  const reference = schema.$ref === undefined ? schema.allOf?.find((part) => part.$ref !== undefined) : schema;
  if (reference !== undefined) {
    const atom = typeOf(context.resolve(reference), { ...context, keepsUnknown: false })();
    return withMapType(atom, schema['x-kubernetes-map-type']);
  }
  const keepsUnknown = context.keepsUnknown || schema['x-kubernetes-preserve-unknown-fields'] === true;
  const inner = { ...context, keepsUnknown };
  switch (schema.type) {
    case 'object':
      return { map: mapType(schema, inner) };
    case 'array':
      return { list: listType(schema, inner) };
    case 'string':
      return { scalar: (schema.format ?? '') === '' || schema.format === 'byte' ? 'string' : 'untyped' };
    case 'integer':
    case 'number':
      return { scalar: 'numeric' };
    case 'boolean':
      return { scalar: 'boolean' };
    default:
      return { scalar: 'untyped', list: listType(schema, inner), map: mapType(schema, inner) };
  }
}

function withMapType(atom: Atom, mapTypeName: 'atomic' | 'granular' | undefined): Atom {
  if (mapTypeName === undefined || atom.map === undefined) return atom;
  return { ...atom, map: { ...atom.map, isAtomic: mapTypeName === 'atomic' } };
}

function mapType(schema: Schema, context: Context): MapType {
  const embedded = schema['x-kubernetes-embedded-resource'] === true;
  const properties = embedded
    ? { ...schema.properties, ...identitySchemas, metadata: objectMetaSchema }
    : schema.properties;
  const fields = Object.entries(properties ?? {}).map(
    ([name, field]) => [name, { type: typeOf(field, context), default: field.default }] as const,
  );
  return {
    isAtomic: schema['x-kubernetes-map-type'] === 'atomic',
    fields: new Map(fields),
    rest: restType(schema, context, fields.length === 0),
  };
}

function restType(schema: Schema, context: Context, hasNoFields: boolean): MergeType | undefined {
  const rest = schema.additionalProperties;
  if (rest === undefined) return context.keepsUnknown || hasNoFields ? deducedType : undefined;
  if (typeof rest === 'boolean') return rest ? deducedType : undefined;
  return typeOf(rest, context);
}

function listType(schema: Schema, context: Context): ListType {
  const item = schema.items === undefined ? untyped : typeOf(schema.items, context);
  const named = schema['x-kubernetes-list-type'];
  if (named !== undefined) {
    const keys = named === 'map' ? (schema['x-kubernetes-list-map-keys'] ?? []) : [];
    return { isAtomic: named === 'atomic', keys, item };
  }
  const isMerged = (schema['x-kubernetes-patch-strategy'] ?? '').split(',').includes('merge');
  const key = schema['x-kubernetes-patch-merge-key'];
  return { isAtomic: !isMerged, keys: isMerged && key !== undefined ? [key] : [], item };
}
