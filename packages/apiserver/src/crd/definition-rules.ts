import { ownValue } from '@manta/base';
import { invalid } from '../field/cause.ts';
import { GoStruct } from '../field/go-json.ts';
import { isObject, type JsonObject } from '../object/json.ts';
import type { FieldCause } from '../status/status-error.ts';
import { bool, type CelType, dyn, isSameType, typeOfSchema } from './cel-types.ts';
import { type Checked, checkExpression } from './check-expression.ts';
import { childSchemas } from './schema-children.ts';
import { checkExtensions } from './schema-extensions.ts';

type Causes = readonly FieldCause[];

/** The path from which on old values cannot be correlated; undefined: all can. */
type Lost = string | undefined;

/** Checks what the rules of a sound schema say, against the types that it gives. */
export function checkDefinitionRules(schema: JsonObject, path: string, isRoot = true, lost?: Lost): Causes {
  const inner = childSchemas(schema, path).flatMap(({ child, at, property, isItem }) => {
    const isAtomic = property !== undefined && schema['x-kubernetes-map-type'] === 'atomic';
    const isPlain = isItem && schema['x-kubernetes-list-type'] !== 'map';
    return checkDefinitionRules(child, at, false, lost ?? (isAtomic || isPlain ? path : undefined));
  });
  const rules = schema['x-kubernetes-validations'];
  if (!Array.isArray(rules) || rules.length === 0 || checkExtensions(schema, path).length > 0) return inner;
  const self = typeOfSchema(schema, isRoot) ?? dyn;
  const own = rules.flatMap((rule, index) =>
    isObject(rule) ? ruleCauses(rule, self, `${path}.x-kubernetes-validations[${index}]`, lost) : [],
  );
  return [...inner, ...own];
}

function ruleCauses(given: JsonObject, self: CelType, at: string, lost: Lost): Causes {
  const [rule, expression] = [textAt(given, 'rule'), textAt(given, 'messageExpression')];
  const variables = new Map([
    ['self', self],
    ['oldSelf', given['optionalOldSelf'] === true ? dyn : self],
  ]);
  const causes: FieldCause[] = [];
  const problem = problemOf(checkExpression(rule, variables), bool);
  if (problem !== undefined) {
    const said = problem === '' ? 'cel expression must evaluate to a bool' : `compilation failed: ${problem}`;
    causes.push(invalid(`${at}.rule`, shown(given), said));
  }
  const unsaid = expression === '' ? undefined : problemOf(checkExpression(expression, variables), { kind: 'string' });
  if (unsaid !== undefined) {
    const said = unsaid === '' ? 'must evaluate to a string' : `compilation failed: ${unsaid}`;
    causes.push(invalid(`${at}.messageExpression`, shown(given), `messageExpression ${said}`));
  }
  return problem === undefined ? [...causes, ...transitionCauses(given, at, lost)] : causes;
}

/** What is wrong; empty where it is but the type of the result. */
function problemOf(checked: Checked, wanted: CelType): string | undefined {
  if (checked.problem !== undefined) return checked.problem;
  return isSameType(checked.type, wanted) ? undefined : '';
}

function transitionCauses(given: JsonObject, at: string, lost: Lost): Causes {
  const rule = textAt(given, 'rule');
  const usesOldSelf = /\boldSelf\b/.test(rule);
  if (usesOldSelf && lost !== undefined) {
    const problem = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${lost}`;
    return [invalid(`${at}.rule`, rule, problem)];
  }
  if (usesOldSelf || given['optionalOldSelf'] === undefined) return [];
  const problem = 'may not be set if oldSelf is not used in rule';
  return [invalid(`${at}.optionalOldSelf`, given['optionalOldSelf'], problem)];
}

/** The server shows its own in-memory form. */
function shown(given: JsonObject): GoStruct {
  return new GoStruct({
    Rule: textAt(given, 'rule'),
    Message: textAt(given, 'message'),
    MessageExpression: textAt(given, 'messageExpression'),
    Reason: given['reason'] ?? null,
    FieldPath: textAt(given, 'fieldPath'),
    OptionalOldSelf: given['optionalOldSelf'] ?? null,
  });
}

function textAt(object: JsonObject, key: string): string {
  const value = ownValue(object, key);
  return typeof value === 'string' ? value : '';
}
