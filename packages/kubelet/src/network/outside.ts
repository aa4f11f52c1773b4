import { isIP } from 'node:net';
import type { RequestOptions } from 'node:http';
import type { AddressPolicy } from './refused-address.ts';

/** All addresses of a name; rejects where it has none. */
export type Resolve = (name: string) => Promise<readonly string[]>;

/** A host outside that may be reached: connections go to the addresses that were checked, and no name is resolved twice. */
export interface Outside {
  readonly host: string;
  readonly lookup: NonNullable<RequestOptions['lookup']>;
}

/** A host that pods may not reach through the engine. */
export class RefusedHost extends Error {
  override readonly name = 'RefusedHost';

  constructor(host: string, what: string) {
    super(
      `egress to "${host}" is refused: it is ${what}. Pods reach Services and pods directly, by name, without the proxy; ` +
        'a package index on such an address is allowed with manta up --egress-allow <address>.',
    );
  }
}

/** A name server that does not answer must not block a request that a proxy could resolve. */
const PROXIED_LOOKUP_MS = 2000;

/** Resolves a host and keeps the addresses that the policy allows; rejects with a RefusedHost if it allows none. */
export async function findOutside(host: string, policy: AddressPolicy, resolve: Resolve): Promise<Outside> {
  refuseByName(host, policy);
  const addresses = isIP(host) === 0 ? await resolve(host) : [host];
  const allowed = addresses.filter((address) => policy.whyNotAddress(address) === undefined);
  const [first] = allowed;
  if (first === undefined)
    throw new RefusedHost(host, policy.whyNotAddress(addresses[0] ?? '') ?? 'a name without an address');
  const entries = allowed.map((address) => ({ address, family: isIP(address) }));
  return {
    host: isIP(host) === 0 ? host : first,
    lookup: (_name, { all }, callback) =>
      all === true ? callback(null, entries) : callback(null, first, isIP(first) || undefined),
  };
}

/**
 * Checks a host that the machine's own proxy will resolve: refused by name, by address, and if this machine resolves it to any address that
 * is refused. A name that this machine cannot resolve is left to the proxy.
 */
export async function checkProxied(host: string, policy: AddressPolicy, resolve: Resolve): Promise<void> {
  refuseByName(host, policy);
  const addresses = isIP(host) === 0 ? await withinTime(resolve(host).catch(() => [])) : [host];
  for (const address of addresses) {
    const why = policy.whyNotAddress(address);
    if (why !== undefined) throw new RefusedHost(host, why);
  }
}

function refuseByName(host: string, policy: AddressPolicy): void {
  const why = policy.whyNotName(host);
  if (why !== undefined) throw new RefusedHost(host, why);
}

async function withinTime(addresses: Promise<readonly string[]>): Promise<readonly string[]> {
  const { promise, resolve } = Promise.withResolvers<readonly string[]>();
  const timer = setTimeout(() => resolve([]), PROXIED_LOOKUP_MS);
  try {
    return await Promise.race([addresses, promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** The system's resolver. */
export const systemResolve: Resolve = async (name) => {
  const { lookup } = process.getBuiltinModule('node:dns').promises;
  return (await lookup(name, { all: true })).map(({ address }) => address);
};
