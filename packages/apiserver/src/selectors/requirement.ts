import { ownValue } from '@manta/base';
import { meets as valueMeets } from './selects.ts';

/** One condition of a label selector in its text form. */
export interface Requirement {
  readonly key: string;
  readonly operator: keyof typeof SPEC_OPERATORS;
  readonly values: readonly string[];
}

/** What the operators of the text form are called in specs. */
const SPEC_OPERATORS = {
  '=': 'In',
  '!=': 'NotIn',
  in: 'In',
  notin: 'NotIn',
  exists: 'Exists',
  absent: 'DoesNotExist',
  '>': 'Gt',
  '<': 'Lt',
} as const;

/** Whether labels satisfy one condition: `!=` and `notin` are met by an absent label too. */
export function meets(labels: Readonly<Record<string, string>>, { key, operator, values }: Requirement): boolean {
  return valueMeets(ownValue(labels, key), SPEC_OPERATORS[operator], values);
}
