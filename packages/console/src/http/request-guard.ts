import { timingSafeEqual } from 'node:crypto';

/** What a request must fulfil before any of its content is looked at. */
export interface GuardOptions {
  /** `host[:port]` values that browsers may use. Any other Host header is refused: it is how DNS rebinding shows. */
  readonly hosts: readonly string[];
}

export interface Refusal {
  readonly status: 403 | 421;
  readonly message: string;
}

/** The header that every write carries. A foreign page cannot send it without a CORS preflight, which this server never allows. */
export const WRITE_HEADER = 'x-manta-console';

const SAFE_METHODS: readonly string[] = ['GET', 'HEAD'];

/** Checks Host, Sec-Fetch-Site, Origin and the write header; undefined: the request may go on. */
export function refuse(method: string, headers: Headers, { hosts }: GuardOptions): Refusal | undefined {
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
  if (headers.get(WRITE_HEADER) !== '1') return { status: 403, message: `a write needs the header ${WRITE_HEADER}: 1` };
  return undefined;
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

/** Compares secrets without telling by its duration how much of them agrees. */
export function isSameSecret(given: string, expected: string): boolean {
  const [left, right] = [Buffer.from(given), Buffer.from(expected)];
  return left.length === right.length && timingSafeEqual(left, right);
}

function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}
