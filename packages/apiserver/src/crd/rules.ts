import { API_SERVER_LIMITS, messageOf, ownValue } from '@manta/base';
import { EvaluationError, Optional } from '@marcbachmann/cel-js';
import { deepEqual } from '../object/deep-equal.ts';
import { duplicate, forbidden, invalid, omitted, required } from '../field/cause.ts';
import { fieldPath, type Step } from '../field/path.ts';
import { isObject, type Json } from '../object/json.ts';
import type { ValidationRule } from '../object/schema.ts';
import type { FieldCause } from '../status/status-error.ts';
import { createCelMeter } from './cel-environment.ts';
import { withoutIndexedHas } from './cel-has.ts';
import { CelCostError } from './cel-meter.ts';
import { celValue } from './cel-values.ts';
import { fieldSteps } from './field-steps.ts';
import { findItem } from './list-keys.ts';
import type { SchemaNode } from './node.ts';

/** The correlated old value, if any, and whether the nearest correlated ancestor is unchanged. */
interface Before {
  readonly value: Json | undefined;
  /** Errors are forgiven: the nearest comparable value is as it was. */
  readonly isUnchanged: () => boolean;
}

/** Evaluates the CEL rules of a schema against an object, transition rules against what it was before. */
export function checkRules(root: SchemaNode, value: Json, old: Json | undefined): readonly FieldCause[] {
  const check: Check = { causes: [], costLeft: API_SERVER_LIMITS.celObjectCost, isCancelled: false };
  if (root.below.rules) visit(root, value, comparable(value, old), [], check);
  return check.causes;
}

/** The rules of one object, on their way. */
interface Check {
  readonly causes: FieldCause[];
  costLeft: number;
  /** A rule cost too much: the others are not evaluated. */
  isCancelled: boolean;
}

function comparable(value: Json, old: Json | undefined, parent?: Before): Before {
  if (old === undefined) return { value: undefined, isUnchanged: parent?.isUnchanged ?? (() => false) };
  let answer: boolean | undefined;
  return { value: old, isUnchanged: () => (answer ??= deepEqual(value, old)) };
}

function visit(node: SchemaNode, value: Json, before: Before, path: Step[], check: Check): void {
  if (value === null || !node.below.rules || check.isCancelled) return;
  evaluateRules(node, node.rules, value, before, path, check);
  for (const part of node.allOf) evaluateRules(node, part.rules, value, before, path, check);
  if (Array.isArray(value)) {
    if (node.items?.below.rules !== true) return;
    for (const [index, item] of value.entries()) {
      path.push(index);
      visit(node.items, item, comparable(item, findItem(node.schema, before.value, item), before), path, check);
      path.pop();
    }
  } else if (isObject(value)) {
    for (const [key, child] of Object.entries(value)) {
      const property = node.properties.get(key);
      const next = property ?? node.additional;
      if (next?.below.rules !== true) continue;
      path.push(property === undefined ? { key } : key);
      const old = isObject(before.value) ? ownValue(before.value, key) : undefined;
      visit(next, child, comparable(child, old, before), path, check);
      path.pop();
    }
  }
}

type Evaluate = (context: Readonly<Record<string, unknown>>) => unknown;

/** A rule ready to run; `problem` says why it cannot. */
interface Program {
  readonly rule: ValidationRule;
  readonly run: Evaluate | undefined;
  readonly message: Evaluate | undefined;
  readonly usesOldSelf: boolean;
  readonly problem: string;
}

const meter = createCelMeter();
const programs = new WeakMap<ValidationRule, Program>();

/** Compiles a rule, once. */
function compileRule(rule: ValidationRule): Program {
  const known = programs.get(rule);
  if (known !== undefined) return known;
  const usesOldSelf = /\boldSelf\b/.test(rule.rule);
  const message = rule.messageExpression === undefined ? undefined : parse(rule.messageExpression);
  const run = parse(rule.rule);
  const program = {
    rule,
    run: typeof run === 'string' ? undefined : run,
    message: typeof message === 'string' ? undefined : message,
    usesOldSelf,
    problem: typeof run === 'string' ? run : '',
  };
  programs.set(rule, program);
  return program;
}

function parse(expression: string): Evaluate | string {
  try {
    return meter.compile(withoutIndexedHas(expression, meter.parse(expression).ast));
  } catch (error) {
    return messageOf(error);
  }
}

function evaluateRules(
  node: SchemaNode,
  rules: readonly ValidationRule[],
  value: Json,
  before: Before,
  path: readonly Step[],
  check: Check,
): void {
  if (rules.length === 0) return;
  const self = celValue(value, node);
  const hasOld = before.value !== undefined && before.value !== null;
  const oldSelf = hasOld && before.value !== undefined ? celValue(before.value, node) : undefined;
  for (const rule of rules) {
    const program = compileRule(rule);
    if (program.usesOldSelf && !hasOld && rule.optionalOldSelf !== true) continue;
    const context =
      rule.optionalOldSelf === true
        ? { self, oldSelf: hasOld ? Optional.of(oldSelf) : Optional.none() }
        : { self, ...(hasOld ? { oldSelf } : {}) };
    const problem = failure(program, context, node, value, path, check);
    if (problem === undefined) continue;
    if (problem.isBroken || program.usesOldSelf || !before.isUnchanged()) check.causes.push(problem.cause);
    if (check.isCancelled) return;
  }
}

interface Failure {
  readonly cause: FieldCause;
  /** The rule could not be evaluated at all. */
  readonly isBroken: boolean;
}

function failure(
  program: Program,
  context: Readonly<Record<string, unknown>>,
  node: SchemaNode,
  value: Json,
  path: readonly Step[],
  check: Check,
): Failure | undefined {
  const type = node.schema.type ?? '';
  const field = fieldPath(path);
  if (program.run === undefined) {
    return { isBroken: true, cause: invalid(field, type, `rule compile error: ${program.problem}`) };
  }
  try {
    if (evaluate(check, program.run, context) === true) return undefined;
  } catch (error) {
    if (error instanceof CelCostError) return cancel(check, error, program.rule, field, type);
    return { isBroken: true, cause: invalid(field, type, evaluationProblem(error, program.rule)) };
  }
  const shown = type === 'object' || type === 'array' ? omitted : value;
  const target = fieldPath([...path, ...fieldSteps(program.rule.fieldPath)]);
  return { isBroken: false, cause: causeFor(program.rule, target, shown, detail(program, context, check)) };
}

function evaluate(check: Check, program: Evaluate, context: Readonly<Record<string, unknown>>): unknown {
  const limit = Math.min(check.costLeft, API_SERVER_LIMITS.celCallCost);
  const { value, cost } = meter.run(limit, () => program(context));
  check.costLeft -= cost;
  return value;
}

function cancel(check: Check, { message }: CelCostError, rule: ValidationRule, field: string, type: string): Failure {
  check.isCancelled = true;
  const further = 'no further validation rules will be run';
  const problem =
    check.costLeft < API_SERVER_LIMITS.celCallCost
      ? `validation failed due to running out of cost budget, ${further}`
      : `'${message}': ${further} due to call cost exceeds limit for rule: ${(rule.message ?? rule.rule).trim()}`;
  return { isBroken: true, cause: invalid(field, type, problem) };
}

function evaluationProblem(error: unknown, rule: ValidationRule): string {
  const summary = error instanceof EvaluationError ? error.summary : String(error);
  const said = summary.charAt(0).toLowerCase() + summary.slice(1);
  return `${said} evaluating rule: ${(rule.message ?? rule.rule).trim()}`;
}

function detail({ rule, message }: Program, context: Readonly<Record<string, unknown>>, check: Check): string {
  const evaluated = message === undefined ? '' : evaluateMessage(message, context, check);
  if (evaluated !== '') return evaluated;
  return rule.message === undefined || rule.message === '' ? `failed rule: ${rule.rule.trim()}` : rule.message.trim();
}

/** Empty where the expression fails or says nothing fit to print: then the plain message counts. */
function evaluateMessage(message: Evaluate, context: Readonly<Record<string, unknown>>, check: Check): string {
  try {
    const said = evaluate(check, message, context);
    const text = typeof said === 'string' ? said.trim() : '';
    return text.includes('\n') ? '' : text;
  } catch {
    return '';
  }
}

function causeFor(rule: ValidationRule, field: string, value: unknown, problem: string): FieldCause {
  switch (rule.reason) {
    case 'FieldValueForbidden':
      return forbidden(field, problem);
    case 'FieldValueRequired':
      return required(field, problem);
    case 'FieldValueDuplicate':
      return duplicate(field, value);
    default:
      return invalid(field, value, problem);
  }
}
