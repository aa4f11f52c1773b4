import type { JSONSchemaProps, ValidationRule } from '../core.gen.ts';

/** The combinators that our CRD schemas are written in; each gives one structural schema that the API server accepts. */
export type Schema = JSONSchemaProps;

/** The limits and defaults that a field may carry besides its type. */
export type Facets = Pick<
  Schema,
  'default' | 'enum' | 'maximum' | 'maxLength' | 'minimum' | 'minLength' | 'minItems' | 'nullable' | 'pattern'
> & { readonly rules?: readonly ValidationRule[] };

/** Fields by name; `required` names those that must be present after defaulting. */
export type Fields = Readonly<Record<string, Schema>>;

const quantityPattern =
  '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$';

/** Text. */
export function string(description?: string, facets?: Facets): Schema {
  return typed({ type: 'string' }, description, facets);
}

/** A whole number of 32 bits, or of 64 where `format` says so. */
export function int(description?: string, facets?: Facets, format: 'int32' | 'int64' = 'int32'): Schema {
  return typed({ type: 'integer', format }, description, facets);
}

/** Any number. */
export function number(description?: string, facets?: Facets): Schema {
  return typed({ type: 'number' }, description, facets);
}

/** True or false. */
export function bool(description?: string, facets?: Facets): Schema {
  return typed({ type: 'boolean' }, description, facets);
}

/** An RFC 3339 time. */
export function time(description?: string, facets?: Facets): Schema {
  return typed({ type: 'string', format: 'date-time' }, description, facets);
}

/** A Kubernetes quantity such as `500m`, `2Gi` or `4`. */
export function quantity(description?: string, facets?: Facets): Schema {
  const base: Schema = {
    anyOf: [{ type: 'integer' }, { type: 'string' }],
    pattern: quantityPattern,
    'x-kubernetes-int-or-string': true,
  };
  return typed(base, description, facets);
}

/** A list; with `keys` it is merged entry by entry, without it is replaced as a whole. */
export function list(
  items: Schema,
  description?: string,
  facets?: Facets & { readonly keys?: readonly string[]; readonly isAtomic?: boolean },
): Schema {
  const { keys, isAtomic, ...rest } = facets ?? {};
  const listType: Schema = {
    ...(keys === undefined ? {} : { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': keys }),
    ...(isAtomic === true ? { 'x-kubernetes-list-type': 'atomic' } : {}),
  };
  return typed({ type: 'array', items, ...listType }, description, rest);
}

/** Values under names that the user chooses. */
export function map(values: Schema, description?: string, facets?: Facets): Schema {
  return typed({ type: 'object', additionalProperties: values }, description, facets);
}

/** An object with fixed fields; what is not listed is pruned by the API server. */
export function object<F extends Fields>(
  fields: F,
  description?: string,
  facets?: Facets & { readonly required?: readonly (keyof F & string)[] },
): Schema {
  const { required, ...rest } = facets ?? {};
  const base: Schema = {
    type: 'object',
    properties: fields,
    ...(required === undefined ? {} : { required: required.toSorted() }),
  };
  return typed(base, description, rest);
}

/** A schema that Kubernetes defines (a pod template, a Service …), placed under a field of ours. */
export function embedded(schema: Schema, description?: string): Schema {
  return typed(schema, description);
}

/** A CEL rule and what the user reads when it does not hold. */
export function rule(expression: string, message: string): ValidationRule {
  return { rule: expression, message };
}

/** The named fields of a larger set, for a version that has fewer of them. */
export function pick<F extends Fields, K extends keyof F & string>(fields: F, ...names: readonly K[]): Pick<F, K> {
  const entries = names.map((name) => [name, fields[name]] as const);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- fromEntries forgets the names that we just listed
  return Object.fromEntries(entries) as Pick<F, K>;
}

function typed(base: Schema, description: string | undefined, facets: Facets = {}): Schema {
  const { rules, ...limits } = facets;
  return {
    ...base,
    ...limits,
    ...(description === undefined ? {} : { description }),
    ...(rules === undefined ? {} : { 'x-kubernetes-validations': rules }),
  };
}
