import { ownValue } from '@manta/base';
import { isObject, type Json } from '../object/json.ts';
import { meets } from './selects.ts';

const OPERATORS: readonly string[] = ['In', 'NotIn', 'Exists', 'DoesNotExist'];

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
  if (typeof key !== 'string' || typeof operator !== 'string' || !OPERATORS.includes(operator)) return false;
  const texts = Array.isArray(values) ? values.filter((value): value is string => typeof value === 'string') : [];
  return meets(ownValue(labels, key), operator, texts);
}
