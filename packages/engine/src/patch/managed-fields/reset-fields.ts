import { differenceBelow, type FieldSet, fieldSet } from './field-set.ts';

/** Which write it is, as far as it matters for what the server ignores of it. */
export interface WriteTarget {
  readonly apiVersion: string;
  readonly kind: string;
  /** Empty for the object itself. */
  readonly subresource: string;
  /** Whether the kind has a status subresource. */
  readonly hasStatus: boolean;
}

const spec = fieldSet(['f:spec']);
const status = fieldSet(['f:status']);
const nothing = fieldSet();

/** Kinds whose status subresource leaves more than the spec alone. */
const ignoredByStatus: Readonly<Record<string, FieldSet>> = {
  'v1/Pod': fieldSet(['f:spec'], ['f:metadata', 'f:deletionTimestamp'], ['f:metadata', 'f:ownerReferences']),
  'apiextensions.k8s.io/v1/CustomResourceDefinition': fieldSet(['f:metadata'], ['f:spec']),
};

/** Fields that the server resets on such a write: nobody can come to own them that way. */
export function resetFields({ apiVersion, kind, subresource, hasStatus }: WriteTarget): FieldSet {
  if (!hasStatus) return nothing;
  if (subresource === '') return status;
  return subresource === 'status' ? (ignoredByStatus[`${apiVersion}/${kind}`] ?? spec) : nothing;
}

/** A set without what is reset, and without all that is below. */
export function withoutReset(set: FieldSet, reset: FieldSet): FieldSet {
  return differenceBelow(set, reset);
}
