import { Environment } from '@marcbachmann/cel-js';
import { isObject, type Json, type JsonObject } from '../../json.ts';
import { textAt } from '../json-path.ts';

/** Whether all conditions of a webhook hold for a request; throws where one cannot be evaluated and none is false. */
export function conditionsHold(conditions: readonly JsonObject[], request: JsonObject): boolean {
  const variables = {
    request: celValue(request),
    object: celValue(request['object'] ?? null),
    oldObject: celValue(request['oldObject'] ?? null),
  };
  let failure: Error | undefined;
  for (const condition of conditions) {
    try {
      if (evaluate(textAt(condition, 'expression'), variables) === false) return false;
    } catch (error) {
      failure ??= error instanceof Error ? error : new Error('unknown error');
    }
  }
  if (failure !== undefined) throw failure;
  return true;
}

const environment = new Environment({ enableOptionalTypes: true })
  .registerVariable('request', 'dyn')
  .registerVariable('object', 'dyn')
  .registerVariable('oldObject', 'dyn');

function evaluate(expression: string, variables: Readonly<Record<string, unknown>>): unknown {
  return environment.evaluate(expression, { ...variables });
}

/** Whole numbers are CEL's ints. */
function celValue(value: Json): unknown {
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : value;
  if (Array.isArray(value)) return value.map((item: Json) => celValue(item));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, celValue(item)]));
}
