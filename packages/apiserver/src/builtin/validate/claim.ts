import { formatQuantity, parseQuantity } from '@manta/api';
import { deepEqual } from '../../object/deep-equal.ts';
import { forbidden, invalid, notSupported, required } from '../../field/cause.ts';
import { checkSubdomainName } from '../../field/names.ts';
import type { JsonObject } from '../../object/json.ts';
import { mapPart, part, text, texts, without } from '../read.ts';
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

/** Checks what an update did to a claim: once it is bound it may grow, but nothing else about it changes. */
export function checkClaimUpdate(object: JsonObject, old: JsonObject, subresource: string): Causes {
  if (subresource === 'status') return [];
  const [spec, before] = [part(object, 'spec') ?? {}, part(old, 'spec') ?? {}];
  const isBound = text(part(object, 'status'), 'phase') === 'Bound';
  const causes: Causes[number][] = [...checkClaimSpec(spec, 'spec')];
  if (!deepEqual(fixedPart(spec, before, isBound), fixedPart(before, before, isBound))) {
    const problem =
      'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims';
    causes.push(forbidden('spec', problem));
  }
  const size = storageOf(spec);
  if (size < storageOf(before) && size <= quantity(part(part(old, 'status'), 'capacity'))) {
    causes.push(forbidden('spec.resources.requests.storage', 'field can not be less than status.capacity'));
  }
  if (!deepEqual(spec['volumeMode'], before['volumeMode'])) {
    causes.push(invalid('volumeMode', spec['volumeMode'] ?? null, 'field is immutable'));
  }
  return causes;
}

/** What may not change: the volume is named once, and what is bound may ask for more. */
function fixedPart(spec: JsonObject, before: JsonObject, isBound: boolean): JsonObject {
  const named = text(before, 'volumeName') === '' ? without(spec, 'volumeName') : spec;
  const isSameSize = storageOf(spec) === storageOf(before);
  const sized = isBound || isSameSize ? mapPart(named, 'resources', withoutSize) : named;
  return isBound ? without(sized, 'volumeAttributesClassName') : sized;
}

function withoutSize(resources: JsonObject): JsonObject {
  return mapPart(resources, 'requests', (requests) => without(requests, 'storage'));
}

function storageOf(spec: JsonObject): bigint {
  return quantity(part(part(spec, 'resources'), 'requests'));
}

function quantity(amounts: JsonObject | undefined): bigint {
  const parsed = parseQuantity(text(amounts, 'storage'));
  return parsed.ok ? parsed.value.nanos : 0n;
}
