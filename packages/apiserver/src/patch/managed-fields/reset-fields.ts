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

const status = fieldSet(['f:status']);
const nothing = fieldSet();
const spec = fieldSet(['f:spec']);
const metadataAndSpec = fieldSet(['f:metadata'], ['f:spec']);

/** What the status subresource ignores of built-in kinds; of all others it is metadata and spec. */
const ignoredByStatus: Readonly<Record<string, FieldSet>> = {
  'v1/Namespace': spec,
  'v1/Node': spec,
  'v1/PersistentVolume': spec,
  'v1/PersistentVolumeClaim': spec,
  'v1/Pod': fieldSet(['f:spec'], ['f:metadata', 'f:deletionTimestamp'], ['f:metadata', 'f:ownerReferences']),
  'v1/ResourceQuota': spec,
  'v1/Service': spec,
  'batch/v1/CronJob': spec,
  'batch/v1/Job': spec,
  'networking.k8s.io/v1/Ingress': spec,
  'policy/v1/PodDisruptionBudget': spec,
};

/** Fields that the server resets on such a write: the writer does not become their owner. */
export function resetFields({ apiVersion, kind, subresource, hasStatus }: WriteTarget): FieldSet {
  if (!hasStatus) return nothing;
  if (subresource === '') return status;
  return subresource === 'status' ? (ignoredByStatus[`${apiVersion}/${kind}`] ?? metadataAndSpec) : nothing;
}

/** A set without what is reset, and without all that is below. */
export function withoutReset(set: FieldSet, reset: FieldSet): FieldSet {
  return differenceBelow(set, reset);
}
