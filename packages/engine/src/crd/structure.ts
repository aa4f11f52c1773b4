import { forbidden, invalid, notSupported, required } from '../field/cause.ts';
import { isObject, type JsonObject } from '../json.ts';
import type { ValidationRule } from '../schema.ts';
import type { FieldCause } from '../status-error.ts';
import { misfits } from './misfits.ts';
import { compilePattern } from './pattern.ts';
import { compileRule } from './rules.ts';

type Causes = readonly FieldCause[];
type Level = 'root' | 'field' | 'item';

const emptyType: Readonly<Record<Level, string>> = {
  root: 'must not be empty at the root',
  field: 'must not be empty for specified object fields',
  item: 'must not be empty for specified array items',
};

/** Checks that a CRD's schema is structural: that every value has one type, said outside of any combination. */
export function checkStructure(schema: JsonObject, path: string, level: Level = 'root'): Causes {
  return [
    ...typeCauses(schema, path, level),
    ...combinationCauses(schema, path),
    ...listCauses(schema, path),
    ...patternCauses(schema, path),
    ...ruleCauses(schema, path),
    ...defaultCauses(schema, path),
    ...Object.entries(objectAt(schema, 'properties')).flatMap(([name, child]) =>
      isObject(child) ? checkStructure(child, `${path}.properties[${name}]`, 'field') : [],
    ),
    ...(isObject(schema['items']) ? checkStructure(schema['items'], `${path}.items`, 'item') : []),
    ...(isObject(schema['additionalProperties'])
      ? checkStructure(schema['additionalProperties'], `${path}.additionalProperties`, 'field')
      : []),
  ];
}

const types = ['array', 'boolean', 'integer', 'number', 'object', 'string'];

function typeCauses(schema: JsonObject, path: string, level: Level): Causes {
  const type = textAt(schema, 'type');
  const isFree =
    schema['x-kubernetes-int-or-string'] === true || schema['x-kubernetes-preserve-unknown-fields'] === true;
  const causes: FieldCause[] = [];
  if (type !== '' && !types.includes(type)) causes.push(notSupported(`${path}.type`, type, types));
  if (type === '' && (!isFree || level === 'root')) causes.push(required(`${path}.type`, emptyType[level]));
  if (level === 'root' && type !== '' && type !== 'object')
    causes.push(invalid(`${path}.type`, type, 'must be object at the root'));
  if (type === 'array' && schema['items'] === undefined) causes.push(required(`${path}.items`, 'must be specified'));
  if (level === 'root' && isObject(schema['additionalProperties'])) {
    causes.push(forbidden(`${path}.additionalProperties`, 'must not be used at the root'));
  }
  if (level === 'root' && schema['nullable'] === true) {
    causes.push(forbidden(`${path}.nullable`, 'nullable cannot be true at the root'));
  }
  return causes;
}

const outside: Readonly<Record<string, string>> = {
  type: 'must be empty to be structural',
  additionalProperties: 'must be undefined to be structural',
  default: 'must be undefined to be structural',
  title: 'must be empty to be structural',
  description: 'must be empty to be structural',
  nullable: 'must be false to be structural',
  'x-kubernetes-preserve-unknown-fields': 'must be false to be structural',
  'x-kubernetes-embedded-resource': 'must be false to be structural',
  'x-kubernetes-int-or-string': 'must be false to be structural',
};

function combinationCauses(schema: JsonObject, path: string): Causes {
  const mayType = schema['x-kubernetes-int-or-string'] === true;
  const branches = ['allOf', 'anyOf', 'oneOf'].flatMap((key) => {
    const list = schema[key];
    return (Array.isArray(list) ? list : []).flatMap((branch, index) => {
      const isAllowed = mayType && key === 'anyOf';
      return isObject(branch) && !isAllowed ? nestedCauses(branch, `${path}.${key}[${index}]`) : [];
    });
  });
  const causes: FieldCause[] = [
    ...branches,
    ...(isObject(schema['not']) ? nestedCauses(schema['not'], `${path}.not`) : []),
  ];
  if (schema['uniqueItems'] === true) {
    causes.push(
      forbidden(
        `${path}.uniqueItems`,
        'uniqueItems cannot be set to true since the runtime complexity becomes quadratic',
      ),
    );
  }
  if (isObject(schema['additionalProperties']) && schema['properties'] !== undefined) {
    causes.push(forbidden(`${path}.additionalProperties`, 'additionalProperties and properties are mutual exclusive'));
  }
  if (schema['x-kubernetes-preserve-unknown-fields'] === false) {
    causes.push(invalid(`${path}.x-kubernetes-preserve-unknown-fields`, false, 'must be true or undefined'));
  }
  return causes;
}

function nestedCauses(branch: JsonObject, path: string): Causes {
  return Object.entries(outside).flatMap(([key, problem]) =>
    branch[key] === undefined || branch[key] === '' || branch[key] === false
      ? []
      : [forbidden(`${path}.${key}`, problem)],
  );
}

function listCauses(schema: JsonObject, path: string): Causes {
  const listType = schema['x-kubernetes-list-type'];
  const keys = schema['x-kubernetes-list-map-keys'];
  const type = textAt(schema, 'type');
  const causes: FieldCause[] = [];
  if (listType !== undefined && type !== 'array') {
    const problem = 'must be array if x-kubernetes-list-type is specified';
    causes.push(type === '' ? required(`${path}.type`, problem) : invalid(`${path}.type`, type, problem));
  }
  if (listType !== undefined && listType !== 'atomic' && listType !== 'set' && listType !== 'map') {
    causes.push(notSupported(`${path}.x-kubernetes-list-type`, listType, ['atomic', 'set', 'map']));
  }
  if (listType === 'map' && !Array.isArray(keys)) {
    causes.push(required(`${path}.x-kubernetes-list-map-keys`, 'must not be empty if x-kubernetes-list-type is map'));
  }
  if (listType === 'map' && schema['items'] === undefined) {
    causes.push(required(`${path}.items`, 'must have a schema if x-kubernetes-list-type is map'));
  }
  if (Array.isArray(keys) && listType !== 'map') {
    const problem = 'must be map if x-kubernetes-list-map-keys is non-empty';
    const field = `${path}.x-kubernetes-list-type`;
    causes.push(listType === undefined ? required(field, problem) : invalid(field, listType, problem));
  }
  return causes;
}

function patternCauses(schema: JsonObject, path: string): Causes {
  const pattern = textAt(schema, 'pattern');
  if (pattern === '' || compilePattern(pattern) !== undefined) return [];
  return [invalid(`${path}.pattern`, pattern, 'must be a valid regular expression')];
}

function ruleCauses(schema: JsonObject, path: string): Causes {
  const rules = schema['x-kubernetes-validations'];
  if (!Array.isArray(rules)) return [];
  return rules.flatMap((given, index) => {
    const at = `${path}.x-kubernetes-validations[${index}]`;
    if (!isObject(given)) return [];
    const rule: ValidationRule = { ...given, rule: textAt(given, 'rule') };
    if (rule.rule.trim() === '') return [required(`${at}.rule`, 'rule is not specified')];
    const { problem } = compileRule(rule);
    return problem === '' ? [] : [invalid(`${at}.rule`, given, `compilation failed: ${problem}`)];
  });
}

/** A default must fit the schema that it is the default of. */
function defaultCauses(schema: JsonObject, path: string): Causes {
  const value = schema['default'];
  if (value === undefined || value === null) return [];
  return misfits(schema, value).map((cause) => ({
    ...cause,
    field: cause.field === '<nil>' ? `${path}.default` : `${path}.default.${cause.field}`,
  }));
}

function objectAt(object: JsonObject, key: string): JsonObject {
  const value = object[key];
  return isObject(value) ? value : {};
}

function textAt(object: JsonObject, key: string): string {
  const value = object[key];
  return typeof value === 'string' ? value : '';
}
