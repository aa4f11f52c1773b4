import { type Amount, addQuantities, compareQuantities, parseQuantity } from '@manta/api';
import type { JsonObject } from '../../object/json.ts';
import { part, parts, text } from '../read.ts';

/**
 * How much of a resource the containers of a pod ask for together: those that run at once, or more where an init container needs more
 * beside the sidecars that were started before it.
 */
export function aggregateRequest(spec: JsonObject, resource: string): Amount | undefined {
  const requestOf = (container: JsonObject): Amount | undefined => {
    const parsed = parseQuantity(text(part(part(container, 'resources'), 'requests'), resource));
    return parsed.ok ? parsed.value : undefined;
  };
  let sidecars: Amount | undefined;
  let starting: Amount | undefined;
  for (const container of parts(spec, 'initContainers')) {
    const needed = plus(sidecars, requestOf(container));
    if (text(container, 'restartPolicy') === 'Always') sidecars = needed;
    starting = larger(starting, needed);
  }
  const running = parts(spec, 'containers').reduce<Amount | undefined>(
    (all, each) => plus(all, requestOf(each)),
    undefined,
  );
  return larger(plus(running, sidecars), starting);
}

function plus(a: Amount | undefined, b: Amount | undefined): Amount | undefined {
  return a === undefined || b === undefined ? (a ?? b) : addQuantities(a, b);
}

function larger(a: Amount | undefined, b: Amount | undefined): Amount | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return compareQuantities(a, b) >= 0 ? a : b;
}
