import { invalid } from '../field/cause.ts';
import { isObject, type JsonObject } from '../object/json.ts';
import type { ResolveSchema, Schema } from '../object/schema.ts';
import type { FieldCause } from '../status/status-error.ts';
import { applyDefaults, fillDefaults } from './defaults.ts';
import { checkEmbedded } from './embedded.ts';
import { fit, type Walk } from './fit.ts';
import { newPatternBudget } from './pattern-budget.ts';
import { compileNode, type SchemaNode } from './node.ts';
import { type Pruned, prune } from './prune.ts';
import { checkRules } from './rules.ts';
import { checkUniqueLists } from './unique-lists.ts';

type Causes = readonly FieldCause[];

/** A schema ready for use; every function is pure, and gives back the very same object where it changes nothing. */
export interface CompiledSchema {
  /** Removes what the schema does not know. */
  prune(object: JsonObject): Pruned;
  /** Drops nulls that may not be, and fills in defaults. */
  applyDefaults(object: JsonObject): JsonObject;
  /** Fills in defaults alone. */
  fillDefaults(object: JsonObject): JsonObject;
  /**
   * Says how an object breaks its schema, its rules included. `old` is the object before an update: what did not change is not held
   * against it. `first` and `then` are problems found elsewhere, to be reported before and after the schema's own; where any is grave
   * the rules are not evaluated.
   */
  validate(object: JsonObject, old?: JsonObject, first?: Causes, then?: Causes): Causes;
  /** The same for a change of nothing but the status. */
  validateStatus(object: JsonObject, old: JsonObject, first?: Causes, then?: Causes): Causes;
}

/** Compiles a schema, once for all objects; `resolve` follows references, which schemas of CRDs have none of. */
export function compileSchema(schema: Schema, resolve: ResolveSchema = (same) => same): CompiledSchema {
  const root = compileNode(schema, resolve);
  return {
    prune: (object) => prune(object, root),
    applyDefaults: (object) => applyDefaults(object, root),
    fillDefaults: (object) => fillDefaults(object, root),
    validate: (object, old, first = [], then = []) => {
      const causes = [...first, ...structuralCauses(root, object, old), ...then, ...checkEmbedded(root, object)];
      if (old === undefined || checkUniqueLists(root, old).length === 0) causes.push(...checkUniqueLists(root, object));
      return withRules(causes, root, object, old);
    },
    validateStatus: (object, old, first = [], then = []) => {
      const causes = [...first, ...statusCauses(root, object, old), ...then];
      const repeated = checkUniqueLists(root, object);
      if (repeated.length > 0 && checkUniqueLists(root, old).length === 0) causes.push(...repeated);
      return withRules(causes, root, object, old);
    },
  };
}

function structuralCauses(root: SchemaNode, object: JsonObject, old: JsonObject | undefined): readonly FieldCause[] {
  const walk: Walk = { path: [], errors: [], patterns: newPatternBudget() };
  fit(root, object, old, walk);
  return distinct(walk);
}

/** A status is checked as an object of its own, so that texts name paths inside it. */
function statusCauses(root: SchemaNode, object: JsonObject, old: JsonObject): readonly FieldCause[] {
  const node = root.properties.get('status');
  const status = object['status'];
  if (node === undefined || status === undefined) return [];
  const walk: Walk = { path: [], errors: [], patterns: newPatternBudget() };
  fit(node, status, old['status'], walk);
  return distinct(walk).map((cause) => ({
    ...cause,
    field: cause.field === '<nil>' ? 'status' : `status.${cause.field}`,
  }));
}

function distinct({ errors }: Walk): readonly FieldCause[] {
  if (errors.length < 2) return errors.map(({ cause }) => cause);
  return [...new Map(errors.toReversed().map((error) => [error.text, error.cause])).values()].toReversed();
}

const grave: ReadonlySet<string> = new Set([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
]);

function withRules(
  causes: readonly FieldCause[],
  root: SchemaNode,
  object: JsonObject,
  old: JsonObject | undefined,
): readonly FieldCause[] {
  if (!root.below.rules) return causes;
  if (causes.some(({ reason }) => grave.has(reason))) {
    const problem =
      'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation';
    return [...causes, invalid('<nil>', null, problem)];
  }
  return isObject(object) ? [...causes, ...checkRules(root, object, old)] : causes;
}
