import {
  defaultFeatureGates,
  type FeatureGates,
  isManagedExternally,
  type JSONSchemaProps,
  ManagedBy,
  type RayClusterSpec,
  type StringMap,
  validateRayClusterSpec,
} from '@manta/api';
import { crds } from '@manta/api/crds';
import type { Choices } from '../choices.ts';

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
type Fields = { readonly [key: string]: Json };

/** What the simulated operator has switched on. */
export const GATES: FeatureGates = { ...defaultFeatureGates(), GCSFaultToleranceEmbeddedStorage: true };

/** A field of the spec that an edit can set; `[]` stands for the items of a list. */
interface Leaf {
  readonly path: readonly string[];
  readonly schema: JSONSchemaProps;
  readonly isRequired: boolean;
}

/** Deeper fields are those of Kubernetes' own types, which the operator hands on. */
const DEEPEST = 4;
/**
 * Pods are the business of the moves. Parts of containers are checked by the API server only when a pod is made, and then again and again:
 * there would be no rest.
 */
const LEFT_ALONE =
  'template headService workersToDelete groupName securityContext env envFrom volumeMounts imagePullPolicy'.split(' ');

/** Values that mean something, by the field's name. */
const LIKELY: Readonly<Record<string, readonly Json[]>> = {
  rayVersion: ['2.52.0', '2.9.0', '2.60.0'],
  redisAddress: ['redis:6379'],
  size: ['1Gi'],
  image: ['image:1'],
  host: ['ray.example.com'],
  path: ['/', '/ray'],
  storageClassName: ['fast'],
  serviceType: ['ClusterIP', 'NodePort', 'LoadBalancer'],
  replicas: [0, 1, 2, 3],
  minReplicas: [0, 1],
  maxReplicas: [1, 2, 5],
  numOfHosts: [1, 2],
  idleTimeoutSeconds: [0, 60],
  // Once set it cannot be changed, but it may come later and go again.
  managedBy: Object.values(ManagedBy),
};

const LEAVES = leavesOf(specSchema(), [], true);

function specSchema(): JSONSchemaProps {
  const definition = crds().find(({ spec }) => spec.names.kind === 'RayCluster');
  const version = definition?.spec.versions.find(({ storage }) => storage);
  return version?.schema?.openAPIV3Schema?.properties?.['spec'] ?? {};
}

function leavesOf(schema: JSONSchemaProps, path: readonly string[], isRequired: boolean): readonly Leaf[] {
  if (path.length > DEEPEST || LEFT_ALONE.includes(path.at(-1) ?? '')) return [];
  const { properties, items, required = [] } = schema;
  if (properties !== undefined) {
    return Object.entries(properties).flatMap(([key, field]) =>
      leavesOf(field, [...path, key], required.includes(key)),
    );
  }
  const [item] = items === undefined ? [] : [items].flat();
  if (item?.properties !== undefined) return leavesOf(item, [...path, '[]'], true);
  return [{ path, schema, isRequired }];
}

/**
 * The spec with one field, any of its schema, set to something else or taken out. What the API would refuse is not tried, and what the
 * operator refuses seldom: it leaves such a cluster alone, and there is little to see.
 */
export function anyEdit(spec: RayClusterSpec, choices: Choices, annotations: StringMap = {}): RayClusterSpec {
  const leaf = LEAVES[choices.pick(LEAVES.length)];
  if (leaf === undefined) return spec;
  const value = leaf.isRequired || !choices.chance(0.3) ? valueOf(leaf, choices) : undefined;
  const at = choices.pick(3);
  const edited = withValue(spec as unknown as Json, leaf.path, at, value) as unknown as RayClusterSpec;
  return isValid(edited, annotations) || choices.chance(0.05) ? edited : spec;
}

/** Whether the operator acts on it. */
export function isValid(spec: RayClusterSpec, annotations: StringMap = {}): boolean {
  return !isManagedExternally(spec) && validateRayClusterSpec(spec, annotations, GATES) === undefined;
}

function valueOf({ path, schema }: Leaf, choices: Choices): Json {
  const values = LIKELY[path.at(-1) ?? ''] ?? valuesOf(schema);
  return values[choices.pick(values.length)] ?? null;
}

function valuesOf(schema: JSONSchemaProps): readonly Json[] {
  if (schema.enum !== undefined) return schema.enum as readonly Json[];
  if (schema['x-kubernetes-int-or-string'] === true) return [1, '100m', '1Gi'];
  switch (schema.type) {
    case 'boolean':
      return [true, false];
    case 'integer':
    case 'number':
      return [0, 1, 2];
    case 'array':
      return [[]];
    case 'object':
      return typeof schema.additionalProperties === 'object' && schema.additionalProperties.type === 'string'
        ? [{}, { a: 'b' }, { 'num-cpus': '1' }]
        : [{}];
    default:
      return ['', 'a', 'some-name'];
  }
}

function withValue(current: Json | undefined, path: readonly string[], at: number, value: Json | undefined): Json {
  const [key, ...rest] = path;
  if (key === undefined) return value ?? null;
  if (key === '[]') {
    const items: readonly Json[] = Array.isArray(current) ? current : [];
    const chosen = at % Math.max(1, items.length);
    return items.map((item, index) => (index === chosen ? withValue(item, rest, at, value) : item));
  }
  const fields = isFields(current) ? current : {};
  if (rest.length > 0) return { ...fields, [key]: withValue(fields[key], rest, at, value) };
  const { [key]: _, ...others } = fields;
  return value === undefined ? others : { ...others, [key]: value };
}

function isFields(value: Json | undefined): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
