import { HostnameClaims } from './hostname-claims.ts';
import type { Gateway } from './kinds.ts';
import { certificateNames } from './listener-tls.ts';
import type { Observed, SecretName } from './observed.ts';
import { servedGateways } from './served-gateways.ts';

/**
 * The Secrets whose certificates the router serves: those that HTTPS listeners of its Gateways name and may name, each once. Namespaces of
 * Gateways take turns, so that a tenant with many names leaves room for the others where the number of watches is limited.
 */
export function namedSecrets(observed: Omit<Observed, 'certificate'>, className: string): readonly SecretName[] {
  const gateways = servedGateways(observed, className);
  const claims = new HostnameClaims(gateways);
  const byTenant = Map.groupBy(gateways, ({ metadata }) => metadata?.namespace ?? '');
  const tenants = [...byTenant.values()].map((own) =>
    unique(own.flatMap((gateway) => secretsOf(gateway, claims, observed))),
  );
  return unique(inTurn(tenants));
}

function secretsOf(gateway: Gateway, claims: HostnameClaims, observed: Omit<Observed, 'certificate'>) {
  return (gateway.spec?.listeners ?? []).flatMap((listener) => {
    if (claims.conflictOf(listener) !== undefined) return [];
    const names = certificateNames(listener, gateway, observed);
    return 'reason' in names ? [] : names;
  });
}

function unique(names: readonly SecretName[]): readonly SecretName[] {
  return [...new Map(names.map((name) => [`${name.namespace}/${name.name}`, name])).values()];
}

/** The first of each list, then the second of each, and so on. */
function inTurn<T>(lists: readonly (readonly T[])[]): readonly T[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  return Array.from({ length: longest }, (_, at) => lists.flatMap((list) => list.slice(at, at + 1))).flat();
}
