import { ownValue } from '@manta/base';
import { invalid } from '../../field/cause.ts';
import { GoStruct } from '../../field/go-json.ts';
import { regexError } from '../../field/regex-error.ts';
import type { Json, JsonObject } from '../../object/json.ts';
import { part } from '../read.ts';
import { type Causes, checkOptionalOneOf } from './check.ts';
import { checkSelector } from './selector.ts';

/** Checks a disruption budget. */
export function checkBudget(object: JsonObject): Causes {
  const spec = part(object, 'spec') ?? {};
  const [min, max] = [spec['minAvailable'], spec['maxUnavailable']];
  const isBoth = min !== undefined && max !== undefined;
  return [
    ...(isBoth ? [invalid('spec', shown(spec), 'minAvailable and maxUnavailable cannot be both set')] : []),
    ...amountCauses(min, 'spec.minAvailable'),
    ...amountCauses(max, 'spec.maxUnavailable'),
    ...checkSelector(spec, 'selector', 'spec'),
    ...checkOptionalOneOf(spec, 'unhealthyPodEvictionPolicy', 'spec', ['AlwaysAllow', 'IfHealthyBudget']),
  ];
}

function amountCauses(amount: Json | undefined, field: string): Causes {
  if (typeof amount === 'number')
    return amount < 0 ? [invalid(field, amount, 'must be greater than or equal to 0')] : [];
  if (typeof amount !== 'string') return [];
  if (!/^[0-9]+%$/.test(amount)) {
    const message = "a valid percent string must be a numeric string followed by an ending '%'";
    return [invalid(field, amount, regexError(message, '[0-9]+%', '1%', '93%'))];
  }
  return Number(amount.slice(0, -1)) > 100 ? [invalid(field, amount, 'must not be greater than 100%')] : [];
}

/** The server shows its own in-memory form. */
function shown(spec: JsonObject): GoStruct {
  const selector = part(spec, 'selector');
  return new GoStruct({
    MinAvailable: spec['minAvailable'] ?? null,
    Selector:
      selector === undefined
        ? null
        : new GoStruct({ ...pick(selector, 'matchLabels'), ...pick(selector, 'matchExpressions') }),
    MaxUnavailable: spec['maxUnavailable'] ?? null,
    UnhealthyPodEvictionPolicy: spec['unhealthyPodEvictionPolicy'] ?? null,
  });
}

function pick(object: JsonObject, key: string): JsonObject {
  const value = ownValue(object, key);
  return value === undefined ? {} : { [key]: value };
}
