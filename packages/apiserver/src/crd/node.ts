import type { ResolveSchema, Schema, ValidationRule } from '../object/schema.ts';

/** A schema made ready for walking: references followed, lookups by name, and a note of what is worth descending for. */
export interface SchemaNode {
  readonly schema: Schema;
  /** JSON types that fit; empty: all. */
  readonly types: readonly string[];
  readonly properties: ReadonlyMap<string, SchemaNode>;
  /** The schema of values under keys that no property names. */
  readonly additional: SchemaNode | undefined;
  /** Keys that no property names are allowed, whether or not `additional` describes them. */
  readonly allowsAdditional: boolean;
  readonly items: SchemaNode | undefined;
  readonly allOf: readonly SchemaNode[];
  readonly anyOf: readonly SchemaNode[];
  readonly oneOf: readonly SchemaNode[];
  readonly not: SchemaNode | undefined;
  readonly rules: readonly ValidationRule[];
  readonly isNullable: boolean;
  readonly preservesUnknown: boolean;
  readonly isEmbedded: boolean;
  /** What this node or one below it has. */
  readonly below: {
    readonly defaults: boolean;
    readonly uniqueLists: boolean;
    readonly embedded: boolean;
    readonly rules: boolean;
  };
}

type Draft = { -readonly [K in keyof SchemaNode]: SchemaNode[K] };

/** Makes a node of each schema, once; schemas may contain themselves through references. */
export function compileNode(schema: Schema, resolve: ResolveSchema): SchemaNode {
  const done = new Map<Schema, Draft>();
  const compile = (given: Schema): SchemaNode => {
    const target = resolve(given);
    const known = done.get(target);
    if (known !== undefined) return known;
    const draft = emptyNode(target);
    done.set(target, draft);
    fill(draft, compile);
    return draft;
  };
  return compile(schema);
}

function emptyNode(schema: Schema): Draft {
  return {
    schema,
    types:
      schema['x-kubernetes-int-or-string'] === true
        ? ['integer', 'string']
        : schema.type === undefined
          ? []
          : [schema.type],
    properties: new Map(),
    additional: undefined,
    allowsAdditional: schema.additionalProperties !== undefined && schema.additionalProperties !== false,
    items: undefined,
    allOf: [],
    anyOf: [],
    oneOf: [],
    not: undefined,
    rules: schema['x-kubernetes-validations'] ?? [],
    isNullable: schema.nullable === true,
    preservesUnknown: schema['x-kubernetes-preserve-unknown-fields'] === true,
    isEmbedded: schema['x-kubernetes-embedded-resource'] === true,
    // Until a node that contains itself is finished, everything may be below it.
    below: { defaults: true, uniqueLists: true, embedded: true, rules: true },
  };
}

function fill(draft: Draft, compile: (schema: Schema) => SchemaNode): void {
  const { schema } = draft;
  draft.properties = new Map(Object.entries(schema.properties ?? {}).map(([name, child]) => [name, compile(child)]));
  if (typeof schema.additionalProperties === 'object') draft.additional = compile(schema.additionalProperties);
  if (schema.items !== undefined) draft.items = compile(schema.items);
  draft.allOf = (schema.allOf ?? []).map(compile);
  draft.anyOf = (schema.anyOf ?? []).map(compile);
  draft.oneOf = (schema.oneOf ?? []).map(compile);
  if (schema.not !== undefined) draft.not = compile(schema.not);
  const children = [...draft.properties.values(), draft.additional, draft.items].filter((child) => child !== undefined);
  const listType = schema['x-kubernetes-list-type'];
  draft.below = {
    defaults: schema.default !== undefined || children.some((child) => child.below.defaults),
    uniqueLists: listType === 'set' || listType === 'map' || children.some((child) => child.below.uniqueLists),
    embedded: draft.isEmbedded || children.some((child) => child.below.embedded),
    rules: [draft, ...draft.allOf].some(({ rules }) => rules.length > 0) || children.some((child) => child.below.rules),
  };
}

/** The schema of one key of an object. */
export function childNode(node: SchemaNode | undefined, key: string): SchemaNode | undefined {
  return node?.properties.get(key) ?? node?.additional;
}
