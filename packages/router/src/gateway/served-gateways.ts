import { byAge } from './hostname-claims.ts';
import { CONTROLLER_NAME, type Gateway } from './kinds.ts';
import type { Observed } from './observed.ts';

/** The Gateways that this router serves, oldest first: of several that claim a hostname the oldest owns it. */
export function servedGateways(
  { gateways, classes }: Pick<Observed, 'gateways' | 'classes'>,
  className: string,
): readonly Gateway[] {
  return gateways.filter((gateway) => isServed(gateway, classes, className)).toSorted(byAge);
}

/** A class belongs to its controller. If the class does not exist, or classes are not installed, the configured class name decides. */
function isServed({ spec }: Gateway, classes: Observed['classes'], className: string): boolean {
  const name = spec?.gatewayClassName;
  const found = classes?.find(({ metadata }) => metadata?.name === name);
  return found === undefined ? name === className : found.spec?.controllerName === CONTROLLER_NAME;
}
