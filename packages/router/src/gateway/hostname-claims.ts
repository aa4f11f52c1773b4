import type { Gateway, Listener } from './kinds.ts';
import { isSecure, isServed } from './listener-tls.ts';

interface Claim {
  readonly gateway: Gateway;
  readonly isSecure: boolean;
}

type Claims = Map<string, Claim[]>;

/**
 * Who serves a hostname, by the Gateway API's rules for listeners that share an address: of two Gateways that claim it the oldest owns it
 * (then the first by namespace and name), and a listener with a more specific hostname wins over a wildcard or a listener for every host.
 * Listeners with and without TLS are told apart only within a namespace: a Gateway of another namespace must not answer http:// for the owner
 * of https://.
 */
export class HostnameClaims {
  /** Hostnames that listeners have. */
  readonly #listeners: Claims = new Map();
  /** Hostnames that routes have while their listener is for every host. */
  readonly #routes: Claims = new Map();
  readonly #conflicts = new Map<Listener, Gateway>();

  /** Of Gateways from the oldest on. */
  constructor(gateways: readonly Gateway[]) {
    for (const gateway of gateways) {
      for (const listener of gateway.spec?.listeners ?? []) {
        const hostname = hostnameOf(listener);
        if (hostname === undefined || !isServed(listener)) continue;
        const owner = claim(this.#listeners, hostname, { gateway, isSecure: isSecure(listener) });
        if (owner !== undefined) this.#conflicts.set(listener, owner);
      }
    }
  }

  /** The older Gateway that has the hostname of this listener. */
  conflictOf(listener: Listener): Gateway | undefined {
    return this.#conflicts.get(listener);
  }

  /** Claims a hostname of a route for a Gateway; the Gateways have to come from the oldest on. The owner, if that is another one. */
  claimRoute(gateway: Gateway, listener: Listener, hostname: string): Gateway | undefined {
    const side = { gateway, isSecure: isSecure(listener) };
    const own = hostnameOf(listener);
    for (const closer of coveringNames(hostname)) {
      if (closer === own) break;
      const other = this.#listeners.get(closer)?.find((one) => rivals(one, side));
      if (other !== undefined) return other.gateway;
    }
    return own === undefined ? claim(this.#routes, hostname, side) : undefined;
  }
}

/** Gateways from the oldest on. */
export function byAge(a: Gateway, b: Gateway): number {
  const age = ({ metadata }: Gateway) => Date.parse(metadata?.creationTimestamp ?? '') || 0;
  const key = ({ metadata }: Gateway) => `${metadata?.namespace ?? ''}/${metadata?.name ?? ''}`;
  return age(a) - age(b) || (key(a) < key(b) ? -1 : 1);
}

/** The hostname of a listener in lower case; undefined if the listener is for every host. */
export function hostnameOf({ hostname }: Listener): string | undefined {
  return hostname === undefined || hostname === '' ? undefined : hostname.toLowerCase();
}

/** The hostname itself, then the wildcards that cover it, the longest first. */
function* coveringNames(hostname: string): Generator<string> {
  yield hostname;
  for (let dot = hostname.indexOf('.'); dot >= 0; dot = hostname.indexOf('.', dot + 1)) yield `*${hostname.slice(dot)}`;
}

function claim(claims: Claims, hostname: string, wanted: Claim): Gateway | undefined {
  const held = claims.get(hostname) ?? [];
  const other = held.find((one) => rivals(one, wanted));
  if (other !== undefined) return other.gateway;
  claims.set(hostname, [...held, wanted]);
  return undefined;
}

function rivals(a: Claim, b: Claim): boolean {
  if (a.gateway === b.gateway) return false;
  return a.isSecure === b.isSecure || a.gateway.metadata?.namespace !== b.gateway.metadata?.namespace;
}
