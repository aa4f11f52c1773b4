import type { NamedUser } from './impersonation.ts';
import { isSameSecret } from './same-secret.ts';

/** An auth proxy in front of the console that has identified the user. */
export interface TrustedHeaderOptions {
  /** What the proxy sends in `x-manta-proxy-secret`. Without it everybody who reaches the console could claim to be anybody. */
  readonly secret: string;
  /** Lower case. */
  readonly userHeader: string;
  readonly groupsHeader: string;
}

export const PROXY_SECRET_HEADER = 'x-manta-proxy-secret';
const MIN_SECRET_LENGTH = 16;

/** Throws one readable line if the secret is too short to be one. */
export function checkProxySecret(secret: string): string {
  if (secret.length >= MIN_SECRET_LENGTH) return secret;
  throw new Error(
    `the secret of the auth proxy has ${secret.length} characters. Use at least ${MIN_SECRET_LENGTH}, e.g. of openssl rand -hex 32.`,
  );
}

/** Whom the proxy names; undefined: the request did not come through the proxy, or names nobody. */
export function userNamedIn(headers: Headers, options: TrustedHeaderOptions): NamedUser | undefined {
  if (!isSameSecret(headers.get(PROXY_SECRET_HEADER) ?? '', options.secret)) return undefined;
  // The platform joins repeated headers by commas: then the user sent one, too, and the proxy did not remove it.
  const user = decoded(headers.get(options.userHeader) ?? '');
  if (user === undefined || user === '' || user.includes(',')) return undefined;
  const groups = decoded(headers.get(options.groupsHeader) ?? '');
  if (groups === undefined) return undefined;
  const names = groups.split(',').map((group) => group.trim());
  return { user, groups: names.filter((group) => group !== '') };
}

/** Proxies send UTF-8, and Node reads each byte of a header as one character. Undefined: it is no UTF-8. */
function decoded(header: string): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(header, 'latin1'));
  } catch {
    return undefined;
  }
}
