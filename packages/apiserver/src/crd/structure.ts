import { ownValue } from '@manta/base';
import { forbidden, invalid, required } from '../field/cause.ts';
import { isObject, type JsonObject } from '../object/json.ts';
import type { FieldCause } from '../status/status-error.ts';
import { checkDefinitionRules } from './definition-rules.ts';
import { misfits } from './misfits.ts';
import { compilePattern } from './pattern.ts';
import { checkExtensions } from './schema-extensions.ts';
import { childSchemas } from './schema-children.ts';

type Causes = readonly FieldCause[];
type Level = 'root' | 'field' | 'item';

const emptyType: Readonly<Record<Level, string>> = {
  root: 'must not be empty at the root',
  field: 'must not be empty for specified object fields',
  item: 'must not be empty for specified array items',
};

/** Checks a CRD's schema: that it is structural, that its defaults fit, that extensions and rules make sense. */
export function checkSchema(schema: JsonObject, path: string): Causes {
  const nullable =
    schema['nullable'] === true ? [forbidden(`${path}.nullable`, 'nullable cannot be true at the root')] : [];
  const structure = structureCauses(schema, path, 'root').toSorted((a, b) => (textOf(a) < textOf(b) ? -1 : 1));
  const sound = structure.length > 0 ? structure : defaultCauses(schema, path);
  const extensions = checkExtensions(schema, path);
  return [
    ...nullable,
    ...sound,
    ...extensions,
    // Rules are read against the types that the schema gives: they must be known.
    ...(sound.length > 0 ? [] : checkDefinitionRules(schema, path)),
  ];
}

function textOf({ field, message }: FieldCause): string {
  return `${field}: ${message}`;
}

/** Every value has one type, said outside of any combination. */
function structureCauses(schema: JsonObject, path: string, level: Level): Causes {
  return [
    ...typeCauses(schema, path, level),
    ...combinationCauses(schema, path),
    ...patternCauses(schema, path),
    ...childSchemas(schema, path).flatMap(({ child, at, isItem }) =>
      structureCauses(child, at, isItem ? 'item' : 'field'),
    ),
  ];
}

function typeCauses(schema: JsonObject, path: string, level: Level): Causes {
  const type = textAt(schema, 'type');
  const isFree =
    schema['x-kubernetes-int-or-string'] === true || schema['x-kubernetes-preserve-unknown-fields'] === true;
  const causes: FieldCause[] = [];
  if (type === '' && (!isFree || level === 'root')) causes.push(required(`${path}.type`, emptyType[level]));
  if (level === 'root' && type !== '' && type !== 'object')
    causes.push(invalid(`${path}.type`, type, 'must be object at the root'));
  if (type === 'array' && schema['items'] === undefined) causes.push(required(`${path}.items`, 'must be specified'));
  if (level === 'root' && isObject(schema['additionalProperties'])) {
    causes.push(forbidden(`${path}.additionalProperties`, 'must not be used at the root'));
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
    const list = ownValue(schema, key);
    return (Array.isArray(list) ? list : []).flatMap((branch, index) => {
      const isAllowed = mayType && key === 'anyOf';
      return isObject(branch) && !isAllowed ? nestedCauses(branch, `${path}.${key}[${index}]`) : [];
    });
  });
  return [...branches, ...(isObject(schema['not']) ? nestedCauses(schema['not'], `${path}.not`) : [])];
}

function nestedCauses(branch: JsonObject, path: string): Causes {
  return Object.entries(outside).flatMap(([key, problem]) =>
    ownValue(branch, key) === undefined || ownValue(branch, key) === '' || ownValue(branch, key) === false
      ? []
      : [forbidden(`${path}.${key}`, problem)],
  );
}

function patternCauses(schema: JsonObject, path: string): Causes {
  const pattern = textAt(schema, 'pattern');
  if (pattern === '' || compilePattern(pattern) !== undefined) return [];
  return [invalid(`${path}.pattern`, pattern, 'must be a valid regular expression')];
}

/** A default must fit the schema that it is the default of. */
function defaultCauses(schema: JsonObject, path: string): Causes {
  return [
    ...ownDefaultCauses(schema, path),
    ...childSchemas(schema, path).flatMap(({ child, at }) => defaultCauses(child, at)),
  ];
}

function ownDefaultCauses(schema: JsonObject, path: string): Causes {
  const value = schema['default'];
  if (value === undefined || value === null) return [];
  return misfits(schema, value).map((cause) => ({
    ...cause,
    field: cause.field === '<nil>' ? `${path}.default` : `${path}.default.${cause.field}`,
  }));
}

function textAt(object: JsonObject, key: string): string {
  const value = ownValue(object, key);
  return typeof value === 'string' ? value : '';
}
