import { ownValue } from '@manta/base';
import { invalid } from '../field/cause.ts';
import { isObject, type Json, type JsonObject } from '../object/json.ts';
import type { FieldCause } from '../status/status-error.ts';
import type { CrdScale } from './crd-version.ts';

const maxInt32 = 2 ** 31 - 1;

/** Checks the fields that the scale subresource reads; `isStatusOnly` leaves out the one in the spec. */
export function scaleCauses(
  object: JsonObject,
  scale: CrdScale | undefined,
  isStatusOnly = false,
): readonly FieldCause[] {
  if (scale === undefined) return [];
  const paths = isStatusOnly ? [scale.statusReplicasPath] : [scale.specReplicasPath, scale.statusReplicasPath];
  return paths.flatMap((path) => replicasCauses(object, path));
}

function replicasCauses(object: JsonObject, path: string): readonly FieldCause[] {
  const replicas = readPath(object, path);
  if (replicas === undefined) return [];
  if (typeof replicas !== 'number') return [];
  if (replicas < 0) return [invalid(path, replicas, 'should be a non-negative integer')];
  return replicas > maxInt32 ? [invalid(path, replicas, `should be less than or equal to ${maxInt32}`)] : [];
}

function readPath(object: JsonObject, path: string): Json | undefined {
  let value: Json | undefined = object;
  for (const name of path.replace(/^\./, '').split('.')) value = isObject(value) ? ownValue(value, name) : undefined;
  return value;
}
