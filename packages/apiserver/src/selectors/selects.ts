import { ownValue } from '@manta/base';
import type { LabelSelector } from '@manta/api';

type Labels = Readonly<Record<string, string>>;

/** Whether a selector of a spec picks these labels: an absent selector picks nothing, an empty one everything. */
export function selects(selector: LabelSelector | undefined, labels: Labels = {}): boolean {
  if (selector === undefined) return false;
  const { matchLabels = {}, matchExpressions = [] } = selector;
  return (
    hasLabels(labels, matchLabels) &&
    matchExpressions.every(({ key, operator, values = [] }) => meets(ownValue(labels, key), operator, values))
  );
}

/** Whether all of `wanted` are among the labels. */
export function hasLabels(labels: Labels | undefined, wanted: Labels): boolean {
  return Object.entries(wanted).every(([key, value]) => ownValue(labels, key) === value);
}

/**
 * Whether a value meets one requirement of a selector; undefined is an absent label. Label selectors of specs have the first four operators,
 * node affinity also `Gt` and `Lt`. An unknown operator is never met.
 */
export function meets(value: string | undefined, operator: string, values: readonly string[]): boolean {
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    case 'Gt':
      return isMore(value, values[0]);
    case 'Lt':
      return isMore(values[0], value);
    default:
      return false;
  }
}

function isMore(a: string | undefined, b: string | undefined): boolean {
  const isInteger = /^-?\d+$/;
  return a !== undefined && b !== undefined && isInteger.test(a) && isInteger.test(b) && BigInt(a) > BigInt(b);
}
