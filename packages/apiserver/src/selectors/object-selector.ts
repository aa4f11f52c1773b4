import { ownValue } from '@manta/base';
import { isObject, type Json } from '../object/json.ts';
import { meets, type Requirement } from './requirement.ts';

const OPERATORS: Readonly<Record<string, Requirement['operator']>> = {
  In: 'in',
  NotIn: 'notin',
  Exists: 'exists',
  DoesNotExist: 'absent',
};

/** Whether labels are selected by a metav1.LabelSelector; an empty one selects everything, a missing one nothing. */
export function matchesLabelSelector(selector: Json | undefined, labels: Readonly<Record<string, string>>): boolean {
  if (!isObject(selector)) return false;
  const matchLabels = isObject(selector['matchLabels']) ? selector['matchLabels'] : {};
  if (!Object.entries(matchLabels).every(([key, value]) => ownValue(labels, key) === value)) return false;
  const expressions = selector['matchExpressions'];
  return !Array.isArray(expressions) || expressions.every((expression) => meetsExpression(expression, labels));
}

function meetsExpression(expression: Json, labels: Readonly<Record<string, string>>): boolean {
  if (!isObject(expression)) return false;
  const { key, operator, values } = expression;
  const known = typeof operator === 'string' ? ownValue(OPERATORS, operator) : undefined;
  if (typeof key !== 'string' || known === undefined) return false;
  const texts = Array.isArray(values) ? values.filter((value): value is string => typeof value === 'string') : [];
  return meets(labels, { key, operator: known, values: texts });
}
