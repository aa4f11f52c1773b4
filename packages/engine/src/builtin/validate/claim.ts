import { formatQuantity, parseQuantity } from '@manta/api';
import { deepEqual } from '../../deep-equal.ts';
import { forbidden, invalid, notSupported, required } from '../../field/cause.ts';
import { checkSubdomainName } from '../../field/names.ts';
import type { JsonObject } from '../../json.ts';
import { part, text, texts, without } from '../read.ts';
import { type Causes, checkOptionalOneOf, checkValue } from './check.ts';
import { checkSelector } from './selector.ts';

const accessModes = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];

/** Checks a claim for storage. */
export function checkClaim(object: JsonObject): Causes {
  return checkClaimSpec(part(object, 'spec') ?? {}, 'spec');
}

/** Checks what a claim for storage asks for. */
export function checkClaimSpec(spec: JsonObject, path: string): Causes {
  const className = spec['storageClassName'];
  return [
    ...modeCauses(spec, path),
    ...checkSelector(spec, 'selector', path),
    ...storageCauses(spec, path),
    ...(typeof className === 'string' && className !== ''
      ? checkValue(className, `${path}.storageClassName`, checkSubdomainName)
      : []),
    ...checkOptionalOneOf(spec, 'volumeMode', path, ['Block', 'Filesystem']),
  ];
}

function modeCauses(spec: JsonObject, path: string): Causes {
  const modes = texts(spec, 'accessModes');
  if (modes.length === 0) return [required(`${path}.accessModes`, 'at least 1 access mode is required')];
  const unknown = modes
    .filter((mode) => !accessModes.includes(mode))
    .map((mode) => notSupported(`${path}.accessModes`, mode, accessModes));
  if (!modes.includes('ReadWriteOncePod') || modes.every((mode) => mode === 'ReadWriteOncePod')) return unknown;
  return [...unknown, forbidden(`${path}.accessModes`, 'may not use ReadWriteOncePod with other access modes')];
}

function storageCauses(spec: JsonObject, path: string): Causes {
  const storage = text(part(part(spec, 'resources'), 'requests'), 'storage');
  const field = `${path}.resources[storage]`;
  const parsed = parseQuantity(storage);
  if (storage === '' || !parsed.ok) return [required(field)];
  return parsed.value.nanos > 0n ? [] : [invalid(field, formatQuantity(parsed.value), 'must be greater than zero')];
}

/** A claim that is bound may only grow. */
export function checkClaimUpdate(object: JsonObject, old: JsonObject, subresource: string): Causes {
  if (subresource === 'status') return [];
  const [spec, before] = [part(object, 'spec') ?? {}, part(old, 'spec') ?? {}];
  const causes = checkClaimSpec(spec, 'spec');
  const changeable = [
    'resources',
    'volumeAttributesClassName',
    ...(before['volumeName'] === undefined ? ['volumeName'] : []),
  ];
  const isSame = deepEqual(without(spec, ...changeable), without(before, ...changeable));
  if (isSame) return causes;
  const problem =
    'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims';
  return [...causes, forbidden('spec', problem)];
}
