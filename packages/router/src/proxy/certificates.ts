import { createSecureContext, type SecureContext } from 'node:tls';
import { messageOf } from '@manta/base';
import type { HostCertificate } from './route-table.ts';

/** Older versions are broken. */
export const MIN_TLS_VERSION = 'TLSv1.2';

/** A certificate and its key, several where there are several kinds of keys. */
export interface Identity {
  readonly cert: string[];
  readonly key: string[];
  readonly minVersion: typeof MIN_TLS_VERSION;
}

interface Held {
  readonly identity: Identity;
  readonly context: SecureContext;
}

/** Who we are to clients that come with TLS, by the name that they call us. May change at any time; connections that are open stay. */
export class Certificates {
  #held = new Map<string, Held>();
  #byHost = new Map<string, Held>();
  #byOwnName = new Map<string, Held>();
  #fallback: Held | undefined;

  /** From now on new connections get these. Of two for the same name the first counts. */
  set(certificates: readonly HostCertificate[]): void {
    const held = new Map<string, Held>();
    const byHost = new Map<string, Held>();
    const byOwnName = new Map<string, Held>();
    let fallback: Held | undefined;
    for (const { hostname, isOwnName = false, certs, keys } of certificates) {
      const text = [...certs, ...keys].join();
      const one = held.get(text) ?? this.#held.get(text) ?? hold(certs, keys);
      held.set(text, one);
      if (hostname === undefined) fallback ??= one;
      else {
        const names = isOwnName ? byOwnName : byHost;
        if (!names.has(hostname.toLowerCase())) names.set(hostname.toLowerCase(), one);
      }
    }
    this.#held = held;
    this.#byHost = byHost;
    this.#byOwnName = byOwnName;
    this.#fallback = fallback;
  }

  get isEmpty(): boolean {
    return this.#held.size === 0;
  }

  /** For clients that name nobody. */
  get fallback(): Identity | undefined {
    return this.#fallback?.identity;
  }

  /** For clients that ask for `name`: the same name, else the longest pattern that covers it, else what is for all. */
  contextFor(name: string): SecureContext | undefined {
    const lower = name.toLowerCase();
    let found = this.#byHost.get(lower);
    for (let dot = lower.indexOf('.'); found === undefined && dot >= 0; dot = lower.indexOf('.', dot + 1))
      found = this.#byHost.get(`*${lower.slice(dot)}`);
    return (found ?? this.#byOwnName.get(lower) ?? this.#fallback)?.context;
  }
}

/** Throws where they cannot be read or do not belong together. */
function hold(certs: readonly string[], keys: readonly string[]): Held {
  const identity: Identity = { cert: [...certs], key: [...keys], minVersion: MIN_TLS_VERSION };
  return { identity, context: createSecureContext(identity) };
}

/** What is wrong with a certificate and its key, in OpenSSL's words; undefined where they can be used. */
export function certificateProblem(cert: string, key: string): string | undefined {
  try {
    hold([cert], [key]);
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}
