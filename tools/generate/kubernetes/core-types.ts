import { banner, type Generator } from './generator.ts';
import {
  kubernetesVersion,
  loadKubernetesSchemas,
  type OpenApiSchema,
  referenceOf,
  type SchemaIndex,
} from './openapi.ts';

const core = 'io.k8s.api.core.v1';
const meta = 'io.k8s.apimachinery.pkg.apis.meta.v1';
const extensions = 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1';

/** The kinds the product reads or writes; everything they refer to comes along. */
const roots = [
  `${core}.ConfigMap`,
  `${core}.Namespace`,
  `${core}.Node`,
  `${core}.PersistentVolumeClaim`,
  `${core}.Pod`,
  `${core}.PodTemplateSpec`,
  `${core}.ResourceQuota`,
  `${core}.Secret`,
  `${core}.Service`,
  `${core}.ServiceAccount`,
  'io.k8s.api.batch.v1.Job',
  'io.k8s.api.coordination.v1.Lease',
  'io.k8s.api.discovery.v1.EndpointSlice',
  'io.k8s.api.events.v1.Event',
  'io.k8s.api.networking.v1.Ingress',
  'io.k8s.api.networking.v1.NetworkPolicy',
  'io.k8s.api.rbac.v1.Role',
  'io.k8s.api.rbac.v1.RoleBinding',
  'io.k8s.api.rbac.v1.ClusterRole',
  'io.k8s.api.rbac.v1.ClusterRoleBinding',
  `${extensions}.CustomResourceDefinition`,
];

/** Types that `meta.ts` writes by hand. */
const fromMeta = new Map([
  [`${meta}.Condition`, 'Condition'],
  [`${meta}.MicroTime`, 'Time'],
  [`${meta}.ObjectMeta`, 'ObjectMeta'],
  [`${meta}.Time`, 'Time'],
]);

/** Types whose JSON form OpenAPI does not tell; `JSON` becomes `JsonValue`, to leave JavaScript's own alone. */
const spelledOut = new Map([
  ['io.k8s.apimachinery.pkg.api.resource.Quantity', 'string | number'],
  ['io.k8s.apimachinery.pkg.util.intstr.IntOrString', 'number | string'],
  [`${extensions}.JSON`, 'unknown'],
  [`${extensions}.JSONSchemaPropsOrArray`, 'JSONSchemaProps | readonly JSONSchemaProps[]'],
  [`${extensions}.JSONSchemaPropsOrBool`, 'JSONSchemaProps | boolean'],
  [`${extensions}.JSONSchemaPropsOrStringArray`, 'JSONSchemaProps | readonly string[]'],
]);

/** Writes the TypeScript interfaces of the Kubernetes kinds that we touch. */
export const coreTypes: Generator = {
  name: 'core-types',
  generate: async () => {
    const schemas = await loadKubernetesSchemas();
    const content = `${banner(`Kubernetes ${kubernetesVersion}`)}${renderTypes(schemas)}`;
    return [{ path: 'packages/api/src/core.gen.ts', content }];
  },
};

function renderTypes(schemas: SchemaIndex): string {
  const names = closure(schemas, roots);
  assertDistinct(names);
  const imports = [...new Set(fromMeta.values())].toSorted().join(', ');
  const declarations = [...names].toSorted(byShortName).map((name) => declaration(name, schemas));
  return `\nimport type { ${imports} } from './meta.ts';\n\n${declarations.join('\n')}`;
}

function closure(schemas: SchemaIndex, from: readonly string[]): ReadonlySet<string> {
  const found = new Set<string>();
  const queue = [...from];
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    if (found.has(name) || fromMeta.has(name)) continue;
    found.add(name);
    if (!spelledOut.has(name)) queue.push(...referencesIn(schemaOf(schemas, name)));
  }
  return found;
}

function referencesIn(schema: OpenApiSchema): readonly string[] {
  const reference = referenceOf(schema);
  if (reference !== undefined) return [reference];
  const inner = [...Object.values(schema.properties ?? {}), schema.items, schema.additionalProperties];
  return inner.flatMap((child) => (child === undefined ? [] : referencesIn(child)));
}

function schemaOf(schemas: SchemaIndex, name: string): OpenApiSchema {
  const schema = schemas.get(name);
  if (schema === undefined) throw new Error(`Kubernetes ${kubernetesVersion} has no schema named ${name}.`);
  return schema;
}

function assertDistinct(names: ReadonlySet<string>): void {
  const owners = new Map<string, string>();
  for (const name of names) {
    const other = owners.get(shortName(name));
    if (other !== undefined) throw new Error(`${name} and ${other} would become the same interface.`);
    owners.set(shortName(name), name);
  }
}

function declaration(name: string, schemas: SchemaIndex): string {
  const spelled = spelledOut.get(name);
  if (spelled !== undefined) return `export type ${shortName(name)} = ${spelled};\n`;
  const schema = schemaOf(schemas, name);
  if (schema.properties === undefined) return `export type ${shortName(name)} = ${typeOf(schema)};\n`;
  const required = new Set(schema.required);
  const fields = Object.entries(schema.properties).map(
    ([field, child]) => `  readonly ${fieldName(field)}${required.has(field) ? '' : '?'}: ${typeOf(child)};\n`,
  );
  return `export interface ${shortName(name)} {\n${fields.join('')}}\n`;
}

function typeOf(schema: OpenApiSchema): string {
  const reference = referenceOf(schema);
  if (reference !== undefined) return fromMeta.get(reference) ?? shortName(reference);
  switch (schema.type) {
    case 'string':
      return schema.enum === undefined ? 'string' : schema.enum.map((value) => `'${value}'`).join(' | ');
    case 'integer':
    case 'number':
      return 'number';
    case 'boolean':
      return 'boolean';
    case 'array':
      return `readonly ${typeOf(schema.items ?? {})}[]`;
    case 'object':
      return schema.additionalProperties === undefined
        ? 'Readonly<Record<string, unknown>>'
        : `Readonly<Record<string, ${typeOf(schema.additionalProperties)}>>`;
    default:
      return 'unknown';
  }
}

function fieldName(field: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(field) ? field : `'${field}'`;
}

function shortName(name: string): string {
  if (name === `${extensions}.JSON`) return 'JsonValue';
  return name.slice(name.lastIndexOf('.') + 1);
}

function byShortName(left: string, right: string): number {
  return shortName(left) < shortName(right) ? -1 : 1;
}
