import type { IncomingHttpHeaders } from 'node:http';

/** Headers that Ray's dashboard gets from a browser. Cookies, Origin, Referer, Sec-*, Authorization and forwarding headers stay here. */
const REQUEST_HEADERS = ['accept', 'accept-encoding', 'accept-language', 'if-none-match', 'if-modified-since', 'range'];
/** Headers that a browser gets from Ray's dashboard: no cookies, no CORS, nothing that outlives the page. */
const RESPONSE_HEADERS = [
  'accept-ranges',
  'cache-control',
  'content-disposition',
  'content-encoding',
  'content-length',
  'content-range',
  'content-type',
  'etag',
  'last-modified',
  'vary',
];

/** Of every answer on a dashboard's host. Its scripts are Ray's, or whatever the head's pod serves: they stay on this host. */
export const DASHBOARD_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'self' data: blob: 'unsafe-inline' 'unsafe-eval'; frame-src http: https:; form-action 'self'; base-uri 'self'; object-src 'none'; worker-src blob:; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

/** What travels to the head: the kept headers, and the cluster's token. */
export function headersForHead(
  headers: IncomingHttpHeaders,
  { ip, port, token }: { readonly ip: string; readonly port: number; readonly token?: string },
): Record<string, string> {
  return {
    ...pick(headers, REQUEST_HEADERS),
    host: `${ip.includes(':') ? `[${ip}]` : ip}:${port}`,
    'user-agent': 'manta-console',
    ...(token === undefined ? {} : { 'x-ray-authorization': `Bearer ${token}` }),
  };
}

/** What travels back; a redirect must stay on the dashboard. */
export function headersForBrowser(headers: IncomingHttpHeaders): Record<string, string> {
  const { location } = headers;
  const isOwn = location !== undefined && /^\/(?![/\\])/.test(location);
  return { ...pick(headers, RESPONSE_HEADERS), ...(isOwn ? { location } : {}), ...DASHBOARD_HEADERS };
}

function pick(headers: IncomingHttpHeaders, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = headers[name];
      return typeof value === 'string' ? [[name, value]] : [];
    }),
  );
}
