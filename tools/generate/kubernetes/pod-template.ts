import { banner, type Generator } from './generator.ts';
import {
  kubernetesVersion,
  loadKubernetesSchemas,
  type OpenApiSchema,
  referenceOf,
  type SchemaIndex,
} from './openapi.ts';
import { fieldFacets, typeFacets } from './structural-schema.ts';

const core = 'io.k8s.api.core.v1';
const meta = 'io.k8s.apimachinery.pkg.apis.meta.v1';
const networking = 'io.k8s.api.networking.v1';

/** What our custom resources embed. */
const roots = [
  `${core}.EnvFromSource`,
  `${core}.EnvVar`,
  `${core}.EnvVarSource`,
  `${core}.PodTemplateSpec`,
  `${core}.ResourceRequirements`,
  `${core}.SecurityContext`,
  `${core}.Service`,
  `${core}.VolumeMount`,
  `${meta}.Condition`,
  `${networking}.IngressTLS`,
  `${networking}.NetworkPolicyEgressRule`,
  `${networking}.NetworkPolicyIngressRule`,
];

/** Schemas written in the DSL instead of generated; the names are those of the file's own constants. */
const leaves = new Map([
  ['io.k8s.apimachinery.pkg.api.resource.Quantity', 'quantitySchema'],
  ['io.k8s.apimachinery.pkg.util.intstr.IntOrString', 'intOrString'],
  [`${meta}.MicroTime`, 'timeSchema'],
  [`${meta}.ObjectMeta`, 'objectMeta'],
  [`${meta}.Time`, 'timeSchema'],
]);

const preamble = `
import { bool, int, list, map, object, quantity, type Schema, string, time } from './dsl.ts';

const text = string();
const flag = bool();
const int32 = int();
const int64 = int(undefined, undefined, 'int64');
const quantitySchema = quantity();
const timeSchema = time();
const intOrString: Schema = { anyOf: [{ type: 'integer' }, { type: 'string' }], 'x-kubernetes-int-or-string': true };
const objectMeta = object({
  annotations: map(text),
  finalizers: list(text),
  labels: map(text),
  name: text,
  namespace: text,
});
`;

/** Writes the CRD schemas of the Kubernetes types that our custom resources embed. */
export const podTemplate: Generator = {
  name: 'pod-template',
  generate: async () => {
    const schemas = await loadKubernetesSchemas();
    const content = `${banner(`Kubernetes ${kubernetesVersion}`)}${preamble}${renderSchemas(schemas)}`;
    return [{ path: 'packages/api/src/schema/pod-template.gen.ts', content }];
  },
};

/** One constant per type, each after those it refers to (the types we embed do not contain themselves). */
function renderSchemas(schemas: SchemaIndex): string {
  const done = new Map<string, string>();
  const visit = (name: string): void => {
    if (done.has(name) || leaves.has(name)) return;
    const schema = schemas.get(name);
    if (schema === undefined) throw new Error(`Kubernetes ${kubernetesVersion} has no schema named ${name}.`);
    for (const reference of referencesIn(schema)) visit(reference);
    const keyword = roots.includes(name) ? 'export const' : 'const';
    done.set(name, `\n${keyword} ${constantName(name)}: Schema = ${typeExpression(name, schema)};\n`);
  };
  for (const name of roots) visit(name);
  return [...done.values()].join('');
}

function referencesIn(schema: OpenApiSchema): readonly string[] {
  const reference = referenceOf(schema);
  if (reference !== undefined) return [reference];
  const inner = [...Object.values(schema.properties ?? {}), schema.items, schema.additionalProperties];
  return inner.flatMap((child) => (child === undefined ? [] : referencesIn(child)));
}

function typeExpression(name: string, schema: OpenApiSchema): string {
  if (schema.properties === undefined) return expression(schema);
  const required = new Set(schema.required);
  const fields = Object.entries(schema.properties).map(
    ([field, child]) => `    ${field}: ${fieldExpression(name, field, child, required.has(field))},\n`,
  );
  return `{\n  type: 'object',\n  properties: {\n${fields.join('')}  },\n${entries(typeFacets(name, schema), '  ', ',\n')}}`;
}

function fieldExpression(owner: string, field: string, schema: OpenApiSchema, isRequired: boolean): string {
  const facets = fieldFacets(owner, field, schema, isRequired);
  const base = expression(schema);
  return Object.keys(facets).length === 0 ? base : `{ ...${base}, ${entries(facets, '', ', ').slice(0, -2)} }`;
}

function expression(schema: OpenApiSchema): string {
  const reference = referenceOf(schema);
  if (reference !== undefined) return leaves.get(reference) ?? constantName(reference);
  switch (schema.type) {
    case 'string':
      return schema.format === undefined ? 'text' : `{ ...text, format: ${literal(schema.format)} }`;
    case 'boolean':
      return 'flag';
    case 'integer':
      return schema.format === 'int64' ? 'int64' : 'int32';
    case 'array':
      return listExpression(schema);
    default:
      return mapExpression(schema);
  }
}

function mapExpression(schema: OpenApiSchema): string {
  if (schema.additionalProperties === undefined) return `{ type: ${literal(schema.type)} }`;
  const base = `map(${expression(schema.additionalProperties)})`;
  const type = schema['x-kubernetes-map-type'];
  return type === undefined ? base : `{ ...${base}, 'x-kubernetes-map-type': ${literal(type)} }`;
}

function listExpression(schema: OpenApiSchema): string {
  const items = expression(schema.items ?? {});
  const keys = schema['x-kubernetes-list-map-keys'];
  const type = schema['x-kubernetes-list-type'];
  if (keys !== undefined) return `list(${items}, undefined, { keys: ${literal(keys)} })`;
  if (type === 'atomic') return `list(${items}, undefined, { isAtomic: true })`;
  return type === undefined ? `list(${items})` : `{ ...list(${items}), 'x-kubernetes-list-type': ${literal(type)} }`;
}

function entries(facets: object, indent: string, end: string): string {
  return Object.entries(facets)
    .map(([key, value]) => `${indent}${/^\w+$/.test(key) ? key : literal(key)}: ${literal(value)}${end}`)
    .join('');
}

function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (typeof value !== 'string') return JSON.stringify(value);
  return `'${JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}

/** `EnvVar` becomes `envVar`, `HTTPGetAction` becomes `httpGetAction`. */
function constantName(name: string): string {
  const short = name.slice(name.lastIndexOf('.') + 1);
  return short.replace(/^[A-Z]+(?=[A-Z][a-z]|$)|^[A-Z]/, (start) => start.toLowerCase());
}
