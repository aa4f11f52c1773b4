import { forbidden, invalid } from '../../field/cause.ts';
import type { JsonObject } from '../../object/json.ts';
import { number, part, text } from '../read.ts';
import { type Causes, checkNonNegative } from './check.ts';

/** Checks a lease. */
export function checkLease(object: JsonObject): Causes {
  const spec = part(object, 'spec') ?? {};
  const seconds = number(spec, 'leaseDurationSeconds');
  const isLoose = text(spec, 'preferredHolder') !== '' && text(spec, 'strategy') === '';
  return [
    ...(seconds !== undefined && seconds <= 0
      ? [invalid('spec.leaseDurationSeconds', seconds, 'must be greater than 0')]
      : []),
    ...checkNonNegative(spec, 'leaseTransitions', 'spec'),
    ...(isLoose ? [forbidden('spec.preferredHolder', 'may only be specified if `strategy` is defined')] : []),
  ];
}
