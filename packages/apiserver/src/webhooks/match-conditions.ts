import { API_SERVER_LIMITS } from '@manta/base';
import { Environment } from '@marcbachmann/cel-js';
import { CelMeter } from '../crd/cel-meter.ts';
import { isObject, type Json, type JsonObject } from '../object/json.ts';
import { textAt } from '../registry/json-path.ts';

/** Whether all conditions of a webhook hold for a request; throws where one cannot be evaluated and none is false. */
export function conditionsHold(conditions: readonly JsonObject[], request: JsonObject): boolean {
  const variables = {
    request: celValue(request),
    object: celValue(request['object'] ?? null),
    oldObject: celValue(request['oldObject'] ?? null),
  };
  let failure: Error | undefined;
  let costLeft: number = API_SERVER_LIMITS.celConditionsCost;
  for (const condition of conditions) {
    try {
      const program = meter.compile(textAt(condition, 'expression'));
      const { value, cost } = meter.run(costLeft, () => program(variables));
      costLeft -= cost;
      if (value === false) return false;
    } catch (error) {
      failure ??= error instanceof Error ? error : new Error('unknown error');
    }
  }
  if (failure !== undefined) throw failure;
  return true;
}

const meter = new CelMeter(
  new Environment({ enableOptionalTypes: true })
    .registerVariable('request', 'dyn')
    .registerVariable('object', 'dyn')
    .registerVariable('oldObject', 'dyn'),
);

/** Whole numbers are CEL's ints. */
function celValue(value: Json): unknown {
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : value;
  if (Array.isArray(value)) return value.map((item: Json) => celValue(item));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, celValue(item)]));
}
