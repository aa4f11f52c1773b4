import { forbidden, invalid, notSupported, required } from '../../field/cause.ts';
import { checkQualifiedName } from '../../field/names.ts';
import type { JsonObject } from '../../object/json.ts';
import { metaOf, number, text } from '../read.ts';
import { type Causes, checkValue } from './check.ts';

const maxPriority = 1_000_000_000;

/** Checks a class of priorities. */
export function checkPriorityClass(object: JsonObject): Causes {
  const name = text(metaOf(object), 'name');
  const policy = text(object, 'preemptionPolicy');
  const policies = ['PreemptLowerPriority', 'Never'];
  const causes: Causes[number][] = [];
  if (name.startsWith('system-')) {
    const problem = "priority class names with 'system-' prefix are reserved for system use only. error:";
    causes.push(forbidden('metadata.name', `${problem} ${name} is not a known system priority class`));
  } else if ((number(object, 'value') ?? 0) > maxPriority) {
    causes.push(forbidden('value', `maximum allowed value of a user defined priority is ${maxPriority}`));
  }
  if (policy === '') causes.push(required('preemptionPolicy'));
  else if (!policies.includes(policy)) causes.push(notSupported('preemptionPolicy', policy, policies));
  return causes;
}

/** A priority stays what it is. */
export function checkPriorityClassUpdate(object: JsonObject, old: JsonObject): Causes {
  const policy = text(object, 'preemptionPolicy');
  return [
    ...(object['value'] === old['value'] ? [] : [forbidden('value', 'may not be changed in an update.')]),
    ...(policy === text(old, 'preemptionPolicy') ? [] : [invalid('preemptionPolicy', policy, 'field is immutable')]),
  ];
}

/** Checks a class of storage. */
export function checkStorageClass(object: JsonObject): Causes {
  const provisioner = text(object, 'provisioner').toLowerCase();
  const oneOf = (key: string, allowed: readonly string[]) => {
    const value = text(object, key);
    const isFine = allowed.includes(value) || (value === '' && key === 'reclaimPolicy');
    return isFine ? [] : [notSupported(key, value, allowed)];
  };
  return [
    ...(provisioner === '' ? [required('provisioner')] : checkValue(provisioner, 'provisioner', checkQualifiedName)),
    ...oneOf('reclaimPolicy', ['Delete', 'Retain']),
    ...oneOf('volumeBindingMode', ['Immediate', 'WaitForFirstConsumer']),
  ];
}
