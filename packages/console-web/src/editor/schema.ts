import { sharedCrds } from '@manta/api/crds';

/** The part of a structural schema that the editor reads. */
export interface SchemaNode {
  readonly type?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly items?: SchemaNode;
  readonly additionalProperties?: SchemaNode | boolean;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly required?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly 'x-kubernetes-int-or-string'?: boolean;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
}

const TEXT: SchemaNode = { type: 'string' };
const TEXTS: SchemaNode = { type: 'object', additionalProperties: TEXT };

/** The fields of metadata that people write; the CRDs leave them to the API server. */
const METADATA: SchemaNode = {
  type: 'object',
  properties: {
    name: { ...TEXT, description: 'Name of the object, unique in its namespace.' },
    generateName: { ...TEXT, description: 'Beginning of a name that the API server completes.' },
    namespace: { ...TEXT, description: 'Namespace of the object.' },
    labels: { ...TEXTS, description: 'Labels, for selecting objects.' },
    annotations: { ...TEXTS, description: 'Annotations, for tools and people.' },
  },
};

/** The kinds that the editor knows. */
export const KINDS: readonly string[] = sharedCrds().map(({ spec }) => spec.names.kind);

const schemas = new Map<string, SchemaNode>();

/** The schema of a Ray kind, without its status. */
export function schemaOf(kind: string): SchemaNode | undefined {
  const known = schemas.get(kind);
  if (known !== undefined) return known;
  const crd = sharedCrds().find(({ spec }) => spec.names.kind === kind);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- our CRDs have structural schemas: lists have one schema of items
  const raw = crd?.spec.versions.find(({ name }) => name === 'v1')?.schema?.openAPIV3Schema as SchemaNode | undefined;
  if (raw === undefined) return undefined;
  const { status: _, ...properties } = raw.properties ?? {};
  const schema: SchemaNode = {
    ...raw,
    properties: {
      ...properties,
      apiVersion: { ...TEXT, enum: ['ray.io/v1'], description: 'Version of the API.' },
      kind: { ...TEXT, enum: KINDS, description: 'Kind of the object.' },
      metadata: METADATA,
    },
    required: ['apiVersion', 'kind', 'metadata', 'spec'],
  };
  schemas.set(kind, schema);
  return schema;
}

/** The schema below a path of keys; lists are entered without a step. */
export function schemaAt(schema: SchemaNode | undefined, path: readonly string[]): SchemaNode | undefined {
  let node = withoutLists(schema);
  for (const step of path) node = withoutLists(childOf(node, step));
  return node;
}

export function childOf(node: SchemaNode | undefined, key: string): SchemaNode | undefined {
  if (node === undefined) return undefined;
  const own = node.properties !== undefined && Object.hasOwn(node.properties, key) ? node.properties[key] : undefined;
  return own ?? (typeof node.additionalProperties === 'object' ? node.additionalProperties : undefined);
}

function withoutLists(node: SchemaNode | undefined): SchemaNode | undefined {
  return node?.items === undefined ? node : withoutLists(node.items);
}

/** A type in the words of `kubectl ray explain`. */
export function typeOf(node: SchemaNode): string {
  if (node['x-kubernetes-int-or-string'] === true) return 'integer or string';
  if (node.type === 'array') return `list of ${node.items === undefined ? 'anything' : typeOf(node.items)}`;
  if (typeof node.additionalProperties === 'object') return `map to ${typeOf(node.additionalProperties)}`;
  return node.type ?? 'anything';
}

/** A value with the defaults that the API server fills in before anything else looks at it. */
export function withDefaults(value: unknown, schema: SchemaNode): unknown {
  if (Array.isArray(value)) return value.map((item) => withDefaults(item, schema.items ?? {}));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value);
  const given = entries.map(([key, each]) => [key, withDefaults(each, childOf(schema, key) ?? {})] as const);
  const absent = Object.entries(schema.properties ?? {}).filter(
    ([key, node]) => node.default !== undefined && !Object.hasOwn(value, key),
  );
  return Object.fromEntries([...given, ...absent.map(([key, node]) => [key, node.default] as const)]);
}
