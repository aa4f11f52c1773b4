import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { banner, type Generator } from './generator.ts';
import { type GoField, type GoType, parseGoTypes } from './go-structs.ts';
import { kubernetesVersion, moduleFolder } from './openapi.ts';

/** Modules of Kubernetes' own types carry the release's number with another first digit. */
const libraryVersion = kubernetesVersion.replace('v1.', 'v0.');

interface Package {
  /** How shapes name it. */
  readonly name: string;
  readonly module: string;
  readonly folder: string;
  /** The document that describes its kinds, where there is one. */
  readonly document?: string;
  readonly kinds: readonly string[];
}

function apiPackage(name: string, document: string, kinds: readonly string[]): Package {
  return { name, module: 'k8s.io/api', folder: `${name}/v1`, document, kinds };
}

const packages: readonly Package[] = [
  apiPackage('core', 'api__v1', [
    'Binding',
    'ConfigMap',
    'Endpoints',
    'Event',
    'Namespace',
    'Node',
    'PersistentVolume',
    'PersistentVolumeClaim',
    'Pod',
    'PodTemplate',
    'ResourceQuota',
    'Secret',
    'Service',
    'ServiceAccount',
  ]),
  apiPackage('admissionregistration', 'apis__admissionregistration.k8s.io__v1', [
    'MutatingWebhookConfiguration',
    'ValidatingWebhookConfiguration',
  ]),
  apiPackage('authentication', 'apis__authentication.k8s.io__v1', ['SelfSubjectReview', 'TokenRequest', 'TokenReview']),
  apiPackage('authorization', 'apis__authorization.k8s.io__v1', [
    'LocalSubjectAccessReview',
    'SelfSubjectAccessReview',
    'SelfSubjectRulesReview',
    'SubjectAccessReview',
  ]),
  apiPackage('autoscaling', 'apis__autoscaling__v1', ['Scale']),
  apiPackage('batch', 'apis__batch__v1', ['Job']),
  apiPackage('coordination', 'apis__coordination.k8s.io__v1', ['Lease']),
  apiPackage('discovery', 'apis__discovery.k8s.io__v1', ['EndpointSlice']),
  apiPackage('events', 'apis__events.k8s.io__v1', ['Event']),
  apiPackage('networking', 'apis__networking.k8s.io__v1', ['Ingress', 'IngressClass', 'NetworkPolicy']),
  apiPackage('policy', 'apis__policy__v1', ['Eviction', 'PodDisruptionBudget']),
  apiPackage('rbac', 'apis__rbac.authorization.k8s.io__v1', [
    'ClusterRole',
    'ClusterRoleBinding',
    'Role',
    'RoleBinding',
  ]),
  apiPackage('scheduling', 'apis__scheduling.k8s.io__v1', ['PriorityClass']),
  apiPackage('storage', 'apis__storage.k8s.io__v1', ['StorageClass']),
  {
    name: 'apiextensions',
    module: 'k8s.io/apiextensions-apiserver',
    folder: 'pkg/apis/apiextensions/v1',
    document: 'apis__apiextensions.k8s.io__v1',
    kinds: ['CustomResourceDefinition'],
  },
  { name: 'meta', module: 'k8s.io/apimachinery', folder: 'pkg/apis/meta/v1', kinds: ['DeleteOptions', 'ObjectMeta'] },
  { name: 'types', module: 'k8s.io/apimachinery', folder: 'pkg/types', kinds: [] },
];

/** Import paths whose types the decoder knows by heart. */
const known: readonly (readonly [string, string])[] = [
  ['k8s.io/apimachinery/pkg/api/resource', 'resource'],
  ['k8s.io/apimachinery/pkg/runtime', 'runtime'],
  ['k8s.io/apimachinery/pkg/util/intstr', 'intstr'],
];

/** Types with a JSON form of their own. */
const opaque: ReadonlySet<string> = new Set([
  'apiextensions.JSON',
  'apiextensions.JSONSchemaPropsOrArray',
  'apiextensions.JSONSchemaPropsOrBool',
  'apiextensions.JSONSchemaPropsOrStringArray',
  'intstr.IntOrString',
  'meta.Duration',
  'meta.FieldsV1',
  'meta.MicroTime',
  'meta.Time',
  'resource.Quantity',
  'runtime.RawExtension',
]);

/** Writes what the engine knows of Kubernetes' own kinds: their schemas, and how Go reads and writes them. */
export const builtinSchemas: Generator = {
  name: 'builtin-schemas',
  generate: async () => {
    const shapes = await loadShapes();
    const schemas = await loadSchemas();
    const head = banner(`Kubernetes ${kubernetesVersion}`);
    return [
      { path: 'packages/apiserver/src/builtin/shapes.gen.ts', content: `${head}${renderShapes(shapes)}` },
      { path: 'packages/apiserver/src/builtin/schemas.gen.ts', content: `${head}${renderSchemas(schemas)}` },
    ];
  },
};

async function loadShapes(): Promise<ReadonlyMap<string, GoType>> {
  const paths = new Map([
    ...known,
    ...packages.map(({ module, folder, name }) => [`${module}/${folder}`, name] as const),
  ]);
  const types = new Map<string, GoType>();
  const modules = new Map<string, string>();
  for (const { name, module, folder } of packages) {
    const root = modules.get(module) ?? (await moduleFolder(`${module}@${libraryVersion}`));
    modules.set(module, root);
    const directory = join(root, folder);
    for (const file of (await readdir(directory)).toSorted()) {
      if (!file.endsWith('.go') || /^(zz_|generated)|_test\.go$/.test(file)) continue;
      const source = await readFile(join(directory, file), 'utf8');
      for (const [type, shape] of parseGoTypes(source, name, paths)) types.set(type, shape);
    }
  }
  return reachable(
    types,
    packages.flatMap(({ name, kinds }) => kinds.map((kind) => `${name}.${kind}`)),
  );
}

function reachable(types: ReadonlyMap<string, GoType>, roots: readonly string[]): ReadonlyMap<string, GoType> {
  const found = new Map<string, GoType>();
  const visit = (type: string): void => {
    const name = type.replace(/^(\*|\[\]|map\[\])+/, '');
    const shape = types.get(name);
    if (found.has(name) || opaque.has(name)) return;
    if (shape === undefined) {
      if (name.includes('.') && !opaque.has(name))
        throw new Error(`Kubernetes ${libraryVersion} has no Go type ${name}.`);
      return;
    }
    found.set(name, shape);
    if ('alias' in shape) visit(shape.alias);
    else for (const field of shape.fields) visit(field.type);
  };
  for (const root of roots) visit(root);
  visit('apiextensions.JSONSchemaProps');
  return new Map([...found].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function renderShapes(shapes: ReadonlyMap<string, GoType>): string {
  const lines = [...shapes].map(([name, shape]) => `  '${name}': '${renderShape(shape)}',\n`);
  return `
/**
 * Go types by name: \`=type\` for another name of a type, otherwise the fields of a struct, \`name:type\` each, where \`?\` after the name
 * says that Go leaves the field out when it is empty and \`!\` when it is zero. A field without a name lends the struct its own fields.
 */
export const shapeTexts: Readonly<Record<string, string>> = {
${lines.join('')}};
`;
}

function renderShape(shape: GoType): string {
  return 'alias' in shape ? `=${shape.alias}` : shape.fields.map(renderField).join(' ');
}

function renderField({ json, type, isOmittedWhenEmpty, isOmittedWhenZero }: GoField): string {
  return `${json}${isOmittedWhenZero ? '!' : isOmittedWhenEmpty ? '?' : ''}:${type}`;
}

type Node = { readonly [key: string]: unknown };

async function loadSchemas(): Promise<ReadonlyMap<string, unknown>> {
  const folder = join(await moduleFolder(`k8s.io/kubernetes@${kubernetesVersion}`), 'api', 'openapi-spec', 'v3');
  const all = new Map<string, Node>();
  for (const { document } of packages) {
    if (document === undefined) continue;
    const text = await readFile(join(folder, `${document}_openapi.json`), 'utf8');
    const { components }: { components: { schemas: Record<string, Node> } } = JSON.parse(text);
    for (const [name, schema] of Object.entries(components.schemas)) all.set(name, schema);
  }
  const found = new Map<string, unknown>();
  const visit = (name: string): void => {
    const schema = all.get(name);
    if (found.has(name)) return;
    if (schema === undefined) throw new Error(`Kubernetes ${kubernetesVersion} has no schema named ${name}.`);
    const kept = trimmed(schema);
    found.set(name, kept);
    for (const [, reference = ''] of JSON.stringify(kept).matchAll(/"\$ref":"([^"]+)"/g)) visit(reference);
  };
  for (const { name, kinds, document } of packages) {
    const root = name === 'apiextensions' ? 'io.k8s.apiextensions-apiserver.pkg.apis' : 'io.k8s.api';
    for (const kind of document === undefined ? [] : kinds) visit(`${root}.${name}.v1.${kind}`);
  }
  return new Map([...found].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** Without descriptions; references by name alone, whether or not OpenAPI wraps them to give them a default. */
function trimmed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(trimmed);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).flatMap(([key, child]): [string, unknown][] => {
    if (key === 'description' || key === 'x-kubernetes-unions') return [];
    if (key === 'properties') {
      return [[key, Object.fromEntries(entriesOf(child).map(([name, property]) => [name, trimmed(property)]))]];
    }
    if (key === 'allOf' && Array.isArray(child) && child.length === 1) return [...entriesOf(trimmed(child[0]))];
    if (key === '$ref' && typeof child === 'string') return [[key, child.slice(child.lastIndexOf('/') + 1)]];
    return [[key, trimmed(child)]];
  });
  return Object.fromEntries(entries);
}

function entriesOf(value: unknown): readonly [string, unknown][] {
  return typeof value === 'object' && value !== null ? Object.entries(value) : [];
}

function renderSchemas(schemas: ReadonlyMap<string, unknown>): string {
  const lines = [...schemas].map(
    ([name, schema]) =>
      `  '${name}':\n    '${JSON.stringify(schema).replaceAll('\\', '\\\\').replaceAll("'", "\\'")}',\n`,
  );
  return `
/** Schemas of the built-in kinds and of all they refer to, as JSON texts: only those in use are ever parsed. */
export const schemaTexts: Readonly<Record<string, string>> = {
${lines.join('')}};
`;
}
