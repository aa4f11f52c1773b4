/** What a request must fulfil before any of its content is looked at. */
export interface GuardOptions {
  /** `host[:port]` values that browsers may use. Any other Host header is refused: it is how DNS rebinding shows. */
  readonly hosts: readonly string[];
  /** Whether the request brings a token of its own. It needs no key then, but an auth proxy may have added the token to a browser's request. */
  readonly hasToken?: boolean;
}

export interface Refusal {
  readonly status: 403 | 421;
  readonly message: string;
}

/**
 * The header that carries the session's key, or any value before the login. A foreign page cannot send it without a CORS preflight, which
 * this server never allows.
 */
export const KEY_HEADER = 'x-manta-console';

const SAFE_METHODS: readonly string[] = ['GET', 'HEAD'];

/** Checks Host, Sec-Fetch-Site, Origin and the write header; undefined: the request may go on. */
export function refuse(
  method: string,
  headers: Headers,
  { hosts, hasToken = false }: GuardOptions,
): Refusal | undefined {
  const host = headers.get('host') ?? '';
  if (!hosts.includes(host.toLowerCase())) {
    const message = `host ${JSON.stringify(host)} is not one of this console's: open it at ${hosts[0] ?? 'its own address'}, or add the host with --host`;
    return { status: 421, message };
  }
  if (SAFE_METHODS.includes(method)) return undefined;
  const site = headers.get('sec-fetch-site');
  if (site !== null && site !== 'same-origin')
    return { status: 403, message: `a write from a page of another site is refused (Sec-Fetch-Site: ${site})` };
  const origin = headers.get('origin');
  if (origin !== null && hostOf(origin) !== host.toLowerCase())
    return { status: 403, message: `a write from origin ${origin} is refused` };
  if (!hasToken && (headers.get(KEY_HEADER) ?? '') === '')
    return { status: 403, message: `a write needs the header ${KEY_HEADER} with the key of the session` };
  return undefined;
}

/** The key that a request carries: in the header, or in the URL of a stream, whose headers pages cannot choose. */
export function keyIn(headers: Headers, url: string): string | undefined {
  const { pathname, searchParams } = new URL(url);
  // The URL of a request that is passed on would show the key to the API server.
  const inUrl = /^\/(api\/v1|apis|version)(\/|$)/.test(pathname) ? null : searchParams.get('key');
  return headers.get(KEY_HEADER) ?? inUrl ?? undefined;
}

/** A navigation from elsewhere may open the page but not read data: GETs of data must come from this origin. */
export function isForeignRead(headers: Headers): boolean {
  const site = headers.get('sec-fetch-site');
  return site !== null && site !== 'same-origin' && site !== 'none';
}

/** Whether the Origin header is there and names this very host. */
export function isSameOrigin(headers: Headers): boolean {
  const origin = headers.get('origin');
  return origin !== null && hostOf(origin) === (headers.get('host') ?? '').toLowerCase();
}

function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}
