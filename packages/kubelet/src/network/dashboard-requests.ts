import type { IncomingMessage } from 'node:http';

/** Names under which a browser on this machine may address a loopback port. */
const HOSTS = ['127.0.0.1', 'localhost'];

/** Why a request is not meant for, or not sent by, the dashboard's own page or a program of the user; undefined if it may pass. */
export function whyForeign(
  request: Pick<IncomingMessage, 'headers' | 'url' | 'method'>,
  port: number,
): string | undefined {
  const { headers, url = '/', method } = request;
  const hosts = HOSTS.map((name) => `${name}:${port}`);
  if (!url.startsWith('/')) return 'this is no proxy: request a path';
  if (!hosts.includes((headers.host ?? '').toLowerCase()))
    return `requests for the host "${headers.host ?? ''}" are refused; use http://${hosts[0]}/`;
  const { origin } = headers;
  if (origin !== undefined && !hosts.some((host) => origin === `http://${host}`))
    return `requests of pages of "${origin}" are refused`;
  // Browsers set these; a link from another page may open the dashboard, nothing else.
  const site = headers['sec-fetch-site'] ?? 'none';
  const isLink =
    method === 'GET' && headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';
  if (site !== 'same-origin' && site !== 'none' && !isLink) return 'requests of other sites are refused';
  return undefined;
}

/**
 * Browsers send a host's cookies to all of its ports: each dashboard gets only its own cookies, which carry its port in their names. It
 * neither sees cookies of the web console nor those of another cluster.
 */
export function cookiesFor(header: string | undefined, port: number): { readonly cookie?: string } {
  const prefix = prefixOf(port);
  const own = (header ?? '')
    .split(';')
    .map((each) => each.trim())
    .filter((each) => each.startsWith(prefix))
    .map((each) => each.slice(prefix.length));
  return own.length === 0 ? {} : { cookie: own.join('; ') };
}

/** The cookies that a dashboard sets, under names with its port. */
export function ownCookies(
  set: string | readonly string[] | undefined,
  port: number,
): { readonly 'set-cookie'?: string[] } {
  const all = set === undefined ? [] : [set].flat();
  return all.length === 0 ? {} : { 'set-cookie': all.map((each) => `${prefixOf(port)}${each.trimStart()}`) };
}

function prefixOf(port: number): string {
  return `ray-${port}-`;
}
