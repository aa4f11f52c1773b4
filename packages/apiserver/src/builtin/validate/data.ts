import { ownValue } from '@manta/base';
import { deepEqual } from '../../object/deep-equal.ts';
import { forbidden, invalid, required, tooLong } from '../../field/cause.ts';
import { byteLength } from '../../field/names.ts';
import type { JsonObject } from '../../object/json.ts';
import { isTrue, metaOf, part, text, textEntries } from '../read.ts';
import { type Causes, checkValue } from './check.ts';
import { checkConfigKey } from './env.ts';

const maxBytes = 1024 * 1024;

/** Checks a config map. */
export function checkConfigMap(object: JsonObject): Causes {
  const binary = part(object, 'binaryData') ?? {};
  const plain = textEntries(object, 'data');
  const size = plain.reduce((sum, [, value]) => sum + byteLength(value), 0) + encodedSize(object, 'binaryData');
  return [
    ...plain.flatMap(([key]) => [
      ...checkValue(key, `data[${key}]`, checkConfigKey),
      ...(ownValue(binary, key) === undefined
        ? []
        : [invalid(`data[${key}]`, key, 'duplicate of key present in binaryData')]),
    ]),
    ...textEntries(object, 'binaryData').flatMap(([key]) => checkValue(key, `binaryData[${key}]`, checkConfigKey)),
    ...(size > maxBytes ? [tooLong('', maxBytes)] : []),
  ];
}

function encodedSize(object: JsonObject, key: string): number {
  return textEntries(object, key).reduce((sum, [, value]) => sum + Buffer.byteLength(value, 'base64'), 0);
}

/** Data that are needed by a type of secret. */
const neededData: Readonly<Record<string, readonly string[]>> = {
  'kubernetes.io/dockercfg': ['.dockercfg'],
  'kubernetes.io/dockerconfigjson': ['.dockerconfigjson'],
  'kubernetes.io/tls': ['tls.crt', 'tls.key'],
};

/** Checks a secret. */
export function checkSecret(object: JsonObject): Causes {
  const data = part(object, 'data') ?? {};
  const type = text(object, 'type');
  const missing = (ownValue(neededData, type) ?? []).filter((key) => ownValue(data, key) === undefined);
  return [
    ...Object.keys(data).flatMap((key) => checkValue(key, `data[${key}]`, checkConfigKey)),
    ...(encodedSize(object, 'data') > maxBytes ? [tooLong('data', maxBytes)] : []),
    ...missing.map((key) => required(`data[${key}]`)),
    ...typeCauses(object, type, data),
  ];
}

function typeCauses(object: JsonObject, type: string, data: JsonObject): Causes {
  switch (type) {
    case 'kubernetes.io/service-account-token': {
      const key = 'kubernetes.io/service-account.name';
      return text(part(metaOf(object), 'annotations'), key) === '' ? [required(`metadata.annotations[${key}]`)] : [];
    }
    case 'kubernetes.io/basic-auth': {
      const has = data['username'] !== undefined || data['password'] !== undefined;
      return has ? [] : [required('data[username]'), required('data[password]')];
    }
    case 'kubernetes.io/ssh-auth':
      return text(data, 'ssh-privatekey') === '' ? [required('data[ssh-privatekey]')] : [];
    default:
      return [];
  }
}

/** Checks what an update did to a config map or a secret. */
export function checkDataUpdate(
  check: (object: JsonObject) => Causes,
): (object: JsonObject, old: JsonObject) => Causes {
  return (object, old) => {
    const causes: Causes[number][] = [];
    const problem = 'field is immutable when `immutable` is set';
    if (text(object, 'kind') === 'Secret' && text(object, 'type') !== text(old, 'type')) {
      causes.push(invalid('type', text(object, 'type'), 'field is immutable'));
    }
    if (isTrue(old, 'immutable')) {
      if (!isTrue(object, 'immutable')) causes.push(forbidden('immutable', problem));
      for (const key of ['data', 'binaryData']) {
        if (!deepEqual(ownValue(object, key) ?? {}, ownValue(old, key) ?? {})) causes.push(forbidden(key, problem));
      }
    }
    return [...causes, ...check(object)];
  };
}
