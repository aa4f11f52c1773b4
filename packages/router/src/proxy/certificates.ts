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

interface LoadedCertificate {
  readonly identity: Identity;
  readonly context: SecureContext;
}

/** Who we are to clients that come with TLS, by the name that they call us. May change at any time; connections that are open stay. */
export class Certificates {
  #loaded = new Map<string, LoadedCertificate>();
  #byHost = new Map<string, LoadedCertificate>();
  #byOwnName = new Map<string, LoadedCertificate>();
  #fallback: LoadedCertificate | undefined;

  /** From now on new connections get these. Of two for the same name the first counts. */
  set(certificates: readonly HostCertificate[]): void {
    const loaded = new Map<string, LoadedCertificate>();
    const byHost = new Map<string, LoadedCertificate>();
    const byOwnName = new Map<string, LoadedCertificate>();
    let fallback: LoadedCertificate | undefined;
    for (const { hostname, isOwnName = false, certs, keys } of certificates) {
      const text = [...certs, ...keys].join();
      const one = loaded.get(text) ?? this.#loaded.get(text) ?? load(certs, keys);
      loaded.set(text, one);
      if (hostname === undefined) fallback ??= one;
      else {
        const names = isOwnName ? byOwnName : byHost;
        if (!names.has(hostname.toLowerCase())) names.set(hostname.toLowerCase(), one);
      }
    }
    this.#loaded = loaded;
    this.#byHost = byHost;
    this.#byOwnName = byOwnName;
    this.#fallback = fallback;
  }

  get isEmpty(): boolean {
    return this.#loaded.size === 0;
  }

  /** For clients without SNI. */
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
function load(certs: readonly string[], keys: readonly string[]): LoadedCertificate {
  const identity: Identity = { cert: [...certs], key: [...keys], minVersion: MIN_TLS_VERSION };
  return { identity, context: createSecureContext(identity) };
}

/** OpenSSL's error for a certificate and its key; undefined if they are valid. */
export function certificateProblem(cert: string, key: string): string | undefined {
  try {
    load([cert], [key]);
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}
