import type { OpenApiSchema } from './openapi.ts';

/**
 * How Kubernetes' OpenAPI becomes the structural form that CRDs carry. The rules were found by comparing with CRDs made by
 * controller-gen 0.16, which reads Go sources: what its markers say and OpenAPI does not is listed here by hand.
 */
const core = 'io.k8s.api.core.v1';

/** Types that inline LocalObjectReference inherit its `atomic` marker; OpenAPI loses it. */
const atomicByInlining: ReadonlySet<string> = new Set(
  ['ConfigMapEnvSource', 'ConfigMapProjection', 'ConfigMapVolumeSource', 'SecretEnvSource', 'SecretProjection'].map(
    (name) => `${core}.${name}`,
  ),
);

/** Defaults written in Go as a reference to a constant, which controller-gen 0.16 leaves out. */
const defaultsByReference: ReadonlySet<string> = new Set([
  `${core}.AzureDiskVolumeSource.cachingMode`,
  `${core}.AzureDiskVolumeSource.kind`,
]);

const qualifiedName =
  '^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$';

/** Validation markers of fields, by type and field. */
const markers: Readonly<Record<string, Readonly<Record<string, object>>>> = {
  'io.k8s.apimachinery.pkg.apis.meta.v1.Condition': {
    message: { maxLength: 32768 },
    observedGeneration: { minimum: 0 },
    reason: { maxLength: 1024, minLength: 1, pattern: '^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$' },
    status: { enum: ['True', 'False', 'Unknown'] },
    type: { maxLength: 316, pattern: qualifiedName },
  },
  [`${core}.PortStatus`]: { error: { maxLength: 316, pattern: qualifiedName } },
};

/** Fields that a marker makes required although Go leaves them out when empty. */
const requiredByMarker: Readonly<Record<string, readonly string[]>> = { [`${core}.PortStatus`]: ['error'] };

/** What a field keeps of its OpenAPI form, besides the schema that it refers to. */
export function fieldFacets(owner: string, field: string, schema: OpenApiSchema, isRequired: boolean): object {
  const { default: value } = schema;
  const hasDefault =
    value !== undefined &&
    !isEmptyObject(value) &&
    !defaultsByReference.has(`${owner}.${field}`) &&
    !(isRequired && isZero(value));
  return { ...markers[owner]?.[field], ...(hasDefault ? { default: value } : {}) };
}

/** What a type as a whole carries: required fields in alphabetical order, and the map type. */
export function typeFacets(name: string, schema: OpenApiSchema): object {
  const required = [...(schema.required ?? []), ...(requiredByMarker[name] ?? [])].toSorted();
  const mapType = atomicByInlining.has(name) ? 'atomic' : schema['x-kubernetes-map-type'];
  return {
    ...(required.length === 0 ? {} : { required }),
    ...(mapType === undefined ? {} : { 'x-kubernetes-map-type': mapType }),
  };
}

/** OpenAPI gives a required field its Go zero value as default; a CRD must not, or the field would never be missed. */
function isZero(value: unknown): boolean {
  return value === '' || value === 0 || value === false;
}

function isEmptyObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}
