import { difference, type FieldSet, fieldSet } from './field-set.ts';

const untracked = fieldSet(
  ['f:apiVersion'],
  ['f:kind'],
  ['f:metadata'],
  ...[
    'name',
    'namespace',
    'creationTimestamp',
    'selfLink',
    'uid',
    'clusterName',
    'generation',
    'managedFields',
    'resourceVersion',
  ].map((name) => ['f:metadata', `f:${name}`]),
);

/** The set without fields that have no owner: identity, and fields that only the server writes. */
export function withoutUntracked(set: FieldSet): FieldSet {
  return difference(set, untracked);
}
