import { ownValue } from '@manta/base';
import { forbidden, invalid, required } from '../../field/cause.ts';
import { checkLabelValue, checkQualifiedName } from '../../field/names.ts';
import { validateLabels } from '../../field/object-meta.ts';
import type { JsonObject } from '../../object/json.ts';
import { part, parts, text, textEntries, texts } from '../read.ts';
import { type Causes, checkParts, checkValue } from './check.ts';

/** Checks a label selector; a missing one is fine. */
export function checkSelector(object: JsonObject | undefined, key: string, path: string): Causes {
  const selector = part(object, key);
  if (selector === undefined) return [];
  const field = `${path}.${key}`;
  return [
    ...validateLabels(selector['matchLabels'], `${field}.matchLabels`),
    ...checkParts(selector, 'matchExpressions', field, (requirement, at) => [
      ...operatorCauses(requirement, at),
      ...checkValue(text(requirement, 'key'), `${at}.key`, checkQualifiedName),
      ...texts(requirement, 'values').flatMap((value, index) =>
        checkValue(value, `${at}.values[${index}]`, checkLabelValue),
      ),
    ]),
  ];
}

function operatorCauses(requirement: JsonObject, path: string): Causes {
  const count = texts(requirement, 'values').length;
  switch (text(requirement, 'operator')) {
    case 'In':
    case 'NotIn':
      return count > 0 ? [] : [required(`${path}.values`, "must be specified when `operator` is 'In' or 'NotIn'")];
    case 'Exists':
    case 'DoesNotExist':
      return count === 0
        ? []
        : [forbidden(`${path}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")];
    default:
      return [invalid(`${path}.operator`, text(requirement, 'operator'), 'not a valid selector operator')];
  }
}

/** Checks what a node selector asks for: label selectors that can also compare numbers, and the node's name. */
export function checkNodeTerm(term: JsonObject, path: string, checksValues = true): Causes {
  return [
    ...checkParts(term, 'matchExpressions', path, (requirement, at) => [
      ...nodeOperatorCauses(requirement, at),
      ...checkValue(text(requirement, 'key'), `${at}.key`, checkQualifiedName),
      ...(checksValues
        ? texts(requirement, 'values').flatMap((value, index) =>
            checkValue(value, `${at}.values[${index}]`, checkLabelValue),
          )
        : []),
    ]),
    ...checkParts(term, 'matchFields', path, nodeFieldCauses),
  ];
}

function nodeOperatorCauses(requirement: JsonObject, path: string): Causes {
  const operator = text(requirement, 'operator');
  if (operator !== 'Gt' && operator !== 'Lt') return operatorCauses(requirement, path);
  if (texts(requirement, 'values').length === 1) return [];
  return [required(`${path}.values`, "must be specified single value when `operator` is 'Lt' or 'Gt'")];
}

function nodeFieldCauses(requirement: JsonObject, path: string): Causes {
  const operator = text(requirement, 'operator');
  const key = text(requirement, 'key');
  const isKnown = operator === 'In' || operator === 'NotIn';
  const causes = [];
  if (!isKnown) causes.push(invalid(`${path}.operator`, operator, 'not a valid selector operator'));
  else if (texts(requirement, 'values').length !== 1) {
    causes.push(
      required(`${path}.values`, "must be only one value when `operator` is 'In' or 'NotIn' for node field selector"),
    );
  }
  if (key !== 'metadata.name') causes.push(invalid(`${path}.key`, key, 'not a valid field selector key'));
  return causes;
}

/** Whether labels are what a selector asks for; a selector that is not sound matches everything. */
export function isSelected(labels: JsonObject, selector: JsonObject | undefined): boolean {
  const isEqual = textEntries(selector, 'matchLabels').every(([key, value]) => ownValue(labels, key) === value);
  return isEqual && parts(selector, 'matchExpressions').every((requirement) => isMet(labels, requirement));
}

function isMet(labels: JsonObject, requirement: JsonObject): boolean {
  const value = ownValue(labels, text(requirement, 'key'));
  const isListed = typeof value === 'string' && texts(requirement, 'values').includes(value);
  switch (text(requirement, 'operator')) {
    case 'In':
      return isListed;
    case 'NotIn':
      return !isListed;
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    default:
      return true;
  }
}
