import { duplicate, invalid } from '../../field/cause.ts';
import { GoStruct } from '../../field/go-json.ts';
import { checkLabelValue, checkQualifiedName } from '../../field/names.ts';
import type { JsonObject } from '../../object/json.ts';
import { part, text, textEntries, texts } from '../read.ts';
import { type Causes, checkOneOf, checkParts, checkValue } from './check.ts';
import { checkCidr } from './ip.ts';
import { checkAmount } from './resources.ts';

/** Checks a node. */
export function checkNode(object: JsonObject): Causes {
  const spec = part(object, 'spec') ?? {};
  const amounts = ['capacity', 'allocatable'].flatMap((key) =>
    textEntries(part(object, 'status'), key).flatMap(([name, amount]) =>
      checkAmount(name, amount, `status.${key}.${name}`),
    ),
  );
  return [
    ...taintCauses(spec),
    ...amounts,
    ...texts(spec, 'podCIDRs').flatMap((block, index) => checkCidr(block, `spec.podCIDRs[${index}]`)),
  ];
}

function taintCauses(spec: JsonObject): Causes {
  const seen = new Set<string>();
  // The server reports taints under metadata, where they are not.
  return checkParts(spec, 'taints', 'metadata', (taint, at) => {
    const value = text(taint, 'value');
    const problems = checkLabelValue(value);
    const key = `${text(taint, 'key')}:${text(taint, 'effect')}`;
    const shown = new GoStruct({
      Key: text(taint, 'key'),
      Value: value,
      Effect: text(taint, 'effect'),
      TimeAdded: null,
    });
    const repeated = duplicate(at, shown);
    const isRepeated = seen.has(key);
    seen.add(key);
    return [
      ...checkValue(text(taint, 'key'), `${at}.key`, checkQualifiedName),
      ...(problems.length === 0 ? [] : [invalid(`${at}.value`, value, problems.join(';'))]),
      ...checkOneOf(taint, 'effect', at, ['NoSchedule', 'PreferNoSchedule', 'NoExecute']),
      ...(isRepeated
        ? [{ ...repeated, message: `${repeated.message}: taints must be unique by key and effect pair` }]
        : []),
    ];
  });
}

/** Checks a namespace. */
export function checkNamespace(object: JsonObject): Causes {
  return texts(part(object, 'spec'), 'finalizers').flatMap((name) => {
    const causes = checkValue(name, 'spec.finalizers', checkQualifiedName);
    if (name.includes('/') || name === 'kubernetes' || name === 'orphan' || name === 'foregroundDeletion')
      return causes;
    return [
      ...causes,
      invalid('spec.finalizers', name, 'name is neither a standard finalizer name nor is it fully qualified'),
    ];
  });
}
