import { ownValue } from '@manta/base';
import { invalid, notSupported, required } from '../field/cause.ts';
import { isObject, type JsonObject } from '../object/json.ts';
import type { FieldCause } from '../status/status-error.ts';
import { fieldSteps } from './field-steps.ts';

type Causes = readonly FieldCause[];

const reasons = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired'];
const lineBreak = /[\n\r]/;

/** Checks everything about the rules of a schema but what they say. */
export function checkRuleForm(schema: JsonObject, path: string): Causes {
  const rules = schema['x-kubernetes-validations'];
  if (!Array.isArray(rules)) return [];
  return rules.flatMap((rule, index) =>
    isObject(rule) ? formCauses(rule, schema, `${path}.x-kubernetes-validations[${index}]`) : [],
  );
}

function formCauses(given: JsonObject, schema: JsonObject, at: string): Causes {
  const [expression, reason, path] = [textAt(given, 'messageExpression'), given['reason'], textAt(given, 'fieldPath')];
  const causes: FieldCause[] = [...messageCauses(textAt(given, 'rule').trim(), textAt(given, 'message'), at)];
  if (expression !== '' && expression.trim() === '') {
    causes.push(required(`${at}.messageExpression`, 'messageExpression must be non-empty if specified'));
  }
  if (typeof reason === 'string' && !reasons.includes(reason)) {
    causes.push(notSupported(`${at}.reason`, reason, reasons));
  }
  if (path !== '' && path.trim() === '')
    causes.push(invalid(`${at}.fieldPath`, path, 'must be non-empty if specified'));
  if (lineBreak.test(path)) causes.push(invalid(`${at}.fieldPath`, path, 'must not contain line breaks'));
  if (path !== '' && !leadsSomewhere(schema, path)) {
    causes.push(invalid(`${at}.fieldPath`, path, 'must be a valid path'));
  }
  return causes;
}

function messageCauses(rule: string, message: string, at: string): Causes {
  const trimmed = message.trim();
  if (rule === '') return [required(`${at}.rule`, 'rule is not specified')];
  if (message !== '' && trimmed === '') return [invalid(`${at}.message`, message, 'must be non-empty if specified')];
  if (lineBreak.test(trimmed)) return [invalid(`${at}.message`, message, 'must not contain line breaks')];
  return lineBreak.test(rule) && trimmed === ''
    ? [required(`${at}.message`, 'message must be specified if rule contains line breaks')]
    : [];
}

/** Whether a path of fields exists in a schema. */
function leadsSomewhere(schema: JsonObject, path: string): boolean {
  const steps = fieldSteps(path);
  const end = steps.reduce<JsonObject | undefined>((here, step) => {
    const found = ownValue(objectAt(here, 'properties'), step) ?? here?.['additionalProperties'];
    return isObject(found) ? found : undefined;
  }, schema);
  return steps.length > 0 && end !== undefined;
}

function objectAt(object: JsonObject | undefined, key: string): JsonObject | undefined {
  const value = ownValue(object, key);
  return isObject(value) ? value : undefined;
}

function textAt(object: JsonObject, key: string): string {
  const value = ownValue(object, key);
  return typeof value === 'string' ? value : '';
}
