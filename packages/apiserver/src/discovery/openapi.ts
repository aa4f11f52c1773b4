import { createHash } from 'node:crypto';
import { builtinKinds, builtinSchema } from '../builtin/index.ts';
import type { Registry } from '../registry/registry.ts';
import type { ServedResource } from '../registry/served-resource.ts';
import { type ServedGroup, servedGroups } from './group-list.ts';
import { definitionName, operationPaths } from './openapi-paths.ts';

type Document = Readonly<Record<string, unknown>>;

const indexes = new WeakMap<Registry, { readonly generation: number; readonly index: object }>();

/** `/openapi/v3`: which documents there are, each with a hash of its content so that clients may keep it. */
export function openapiIndex(registry: Registry): object {
  const known = indexes.get(registry);
  if (known?.generation === registry.generation) return known.index;
  const index = { paths: Object.fromEntries(servedGroups(registry).flatMap((group) => entriesOf(registry, group))) };
  indexes.set(registry, { generation: registry.generation, index });
  return index;
}

function entriesOf(registry: Registry, { name, versions }: ServedGroup): readonly (readonly [string, object])[] {
  return versions.map((version) => {
    const path = name === '' ? `api/${version}` : `apis/${name}/${version}`;
    const text = JSON.stringify(openapiDocument(registry, name, version));
    const hash = createHash('sha256').update(text).digest('hex').toUpperCase();
    return [path, { serverRelativeURL: `/openapi/v3/${path}?hash=${hash}` }] as const;
  });
}

/** The schemas and paths of one version of a group. */
export function openapiDocument(registry: Registry, group: string, version: string): Document {
  const resources = registry.all().filter(({ info, versions }) => info.group === group && versions.has(version));
  const schemas: Record<string, unknown> = {};
  for (const resource of resources) Object.assign(schemas, schemasOf(resource, version));
  return {
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version: 'v1.36.4' },
    paths: Object.assign({}, ...resources.map((resource) => operationPaths(resource, version))),
    components: { schemas },
  };
}

function schemasOf({ info, versions }: ServedResource, version: string): Readonly<Record<string, unknown>> {
  const served = versions.get(version);
  if (served === undefined) return {};
  const name = definitionName(info, version);
  const gvk = [{ group: info.group, version, kind: info.kind }];
  const found: Record<string, unknown> = {};
  const start = builtinKinds.find((kind) => kind.group === info.group && kind.kind === info.kind)?.definition ?? name;
  const root = served.isBuiltin ? (builtinSchema(start) ?? {}) : withObjectMeta(served.schema);
  found[name] = inDocument({ ...root, 'x-kubernetes-group-version-kind': gvk }, found);
  return found;
}

/** Definitions leave the metadata to the server, which describes it. */
function withObjectMeta(schema: object): object {
  const properties = 'properties' in schema && typeof schema.properties === 'object' ? schema.properties : {};
  const $ref = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';
  return {
    ...schema,
    properties: { apiVersion: { type: 'string' }, kind: { type: 'string' }, ...properties, metadata: { $ref } },
  };
}

/** References become paths into this document, and what they name comes along. */
function inDocument(value: unknown, found: Record<string, unknown>): unknown {
  if (Array.isArray(value)) return value.map((item) => inDocument(item, found));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, item]: [string, unknown]) => {
    if (key !== '$ref' || typeof item !== 'string') return [key, inDocument(item, found)] as const;
    include(item, found);
    return [key, `#/components/schemas/${item}`] as const;
  });
  const object = Object.fromEntries(entries);
  if (!('$ref' in object) || entries.length === 1) return object;
  const { $ref, ...beside } = object;
  return { allOf: [{ $ref }], ...beside };
}

function include(name: string, found: Record<string, unknown>): void {
  if (Object.hasOwn(found, name)) return;
  found[name] = {};
  found[name] = inDocument(builtinSchema(name) ?? {}, found);
}

/** The path of a document: `api/v1` or `apis/batch/v1`. */
export function parseDocumentPath(path: string): { readonly group: string; readonly version: string } | undefined {
  const core = /^api\/([^/]+)$/.exec(path);
  if (core !== null) return { group: '', version: core[1] ?? '' };
  const other = /^apis\/([^/]+)\/([^/]+)$/.exec(path);
  return other === null ? undefined : { group: other[1] ?? '', version: other[2] ?? '' };
}
