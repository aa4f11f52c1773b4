import type { Json, JsonObject } from '../object/json.ts';
import type { FieldCause } from '../status/status-error.ts';
import { fit, type Walk } from './fit.ts';
import { newPatternBudget } from './pattern-budget.ts';
import { compileNode } from './node.ts';

/** How a value does not fit a schema that stands alone; rules are not evaluated. */
export function misfits(schema: JsonObject, value: Json): readonly FieldCause[] {
  const walk: Walk = { path: [], errors: [], patterns: newPatternBudget() };
  fit(
    compileNode(schema, (same) => same),
    value,
    undefined,
    walk,
  );
  return walk.errors.map(({ cause }) => cause);
}
