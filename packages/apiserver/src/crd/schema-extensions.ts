import { ownValue } from '@manta/base';
import { forbidden, invalid, notSupported, required } from '../field/cause.ts';
import { isObject, type JsonObject } from '../object/json.ts';
import type { FieldCause } from '../status/status-error.ts';
import { checkRuleForm } from './rule-form.ts';
import { childSchemas } from './schema-children.ts';

type Causes = readonly FieldCause[];

/** Checks what OpenAPI allows and a CRD does not, and Kubernetes' own extensions. */
export function checkExtensions(schema: JsonObject, path: string): Causes {
  return [
    ...ownCauses(schema, path),
    ...childSchemas(schema, path).flatMap(({ child, at }) => checkExtensions(child, at)),
    ...(schema['x-kubernetes-preserve-unknown-fields'] === false
      ? [invalid(`${path}.x-kubernetes-preserve-unknown-fields`, false, 'must be true or undefined')]
      : []),
    ...mapCauses(schema, path),
    ...listCauses(schema, path),
    ...checkRuleForm(schema, path),
  ];
}

const types = ['array', 'boolean', 'integer', 'number', 'object', 'string'];

function ownCauses(schema: JsonObject, path: string): Causes {
  const type = textAt(schema, 'type');
  const causes: FieldCause[] = [];
  if (type !== '' && !types.includes(type)) causes.push(notSupported(`${path}.type`, type, types));
  if (schema['uniqueItems'] === true) {
    const problem = 'uniqueItems cannot be set to true since the runtime complexity becomes quadratic';
    causes.push(forbidden(`${path}.uniqueItems`, problem));
  }
  if (isObject(schema['additionalProperties']) && schema['properties'] !== undefined) {
    causes.push(forbidden(`${path}.additionalProperties`, 'additionalProperties and properties are mutual exclusive'));
  }
  return causes;
}

function mapCauses(schema: JsonObject, path: string): Causes {
  const mapType = schema['x-kubernetes-map-type'];
  if (mapType === undefined) return [];
  const type = textAt(schema, 'type');
  const problem = 'must be object if x-kubernetes-map-type is specified';
  const causes: FieldCause[] = [];
  if (type === '') causes.push(required(`${path}.type`, problem));
  else if (type !== 'object') causes.push(invalid(`${path}.type`, type, problem));
  if (mapType !== 'atomic' && mapType !== 'granular') {
    causes.push(notSupported(`${path}.x-kubernetes-map-type`, mapType, ['atomic', 'granular']));
  }
  return causes;
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

function textAt(object: JsonObject, key: string): string {
  const value = ownValue(object, key);
  return typeof value === 'string' ? value : '';
}
