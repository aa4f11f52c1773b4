import { parseQuantity } from '@manta/api';
import { forbidden, invalid, notSupported, required } from '../../field/cause.ts';
import { checkSubdomainName } from '../../field/names.ts';
import type { JsonObject } from '../../object/json.ts';
import { part, text, textEntries, texts } from '../read.ts';
import { type Causes, checkOptional, checkOptionalOneOf } from './check.ts';
import { checkHostPath } from './volumes.ts';

const accessModes = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];
const plain = new Set([
  'accessModes',
  'capacity',
  'claimRef',
  'mountOptions',
  'nodeAffinity',
  'persistentVolumeReclaimPolicy',
  'storageClassName',
  'volumeAttributesClassName',
  'volumeMode',
]);

/** Checks a volume of the cluster. */
export function checkPersistentVolume(object: JsonObject): Causes {
  const spec = part(object, 'spec') ?? {};
  const sources = Object.keys(spec).filter((key) => !plain.has(key));
  const affinity = part(spec, 'nodeAffinity');
  const needsNode = affinity !== undefined && affinity['required'] === undefined;
  return [
    ...modeCauses(spec),
    ...capacityCauses(spec),
    ...checkOptionalOneOf(spec, 'persistentVolumeReclaimPolicy', 'spec', ['Delete', 'Recycle', 'Retain']),
    ...(sources.length === 0 ? [required('spec', 'must specify a volume type')] : []),
    ...(spec['hostPath'] === undefined ? [] : checkHostPath(part(spec, 'hostPath') ?? {}, 'spec.hostPath')),
    ...sources.slice(1).map((key) => forbidden(`spec.${key}`, 'may not specify more than 1 volume type')),
    ...(needsNode ? [required('spec.nodeAffinity.required', 'must specify required node constraints')] : []),
    ...checkOptional(spec, 'storageClassName', 'spec', checkSubdomainName),
    ...checkOptionalOneOf(spec, 'volumeMode', 'spec', ['Block', 'Filesystem']),
  ];
}

function modeCauses(spec: JsonObject): Causes {
  const modes = texts(spec, 'accessModes');
  if (modes.length === 0) return [required('spec.accessModes')];
  return modes
    .filter((mode) => !accessModes.includes(mode))
    .map((mode) => notSupported('spec.accessModes', mode, accessModes));
}

function capacityCauses(spec: JsonObject): Causes {
  const capacity = textEntries(spec, 'capacity');
  const isOdd = text(part(spec, 'capacity'), 'storage') === '' || capacity.length > 1;
  return [
    ...(capacity.length === 0 ? [required('spec.capacity')] : []),
    ...(isOdd ? [notSupported('spec.capacity', spec['capacity'] ?? null, ['storage'])] : []),
    ...capacity.flatMap(([name, amount]) => {
      const parsed = parseQuantity(amount);
      return parsed.ok && parsed.value.nanos > 0n
        ? []
        : [invalid(`spec.capacity[${name}]`, amount, 'must be greater than zero')];
    }),
  ];
}
