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

/** The set without the fields that nobody owns: identity and what only the server writes. */
export function withoutUntracked(set: FieldSet): FieldSet {
  return difference(set, untracked);
}
