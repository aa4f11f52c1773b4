import { isIPv6 } from 'node:net';

/** A host and a port, as a CONNECT request names them. */
export interface Authority {
  /** A name or an address; an IPv6 address is without its brackets. */
  readonly host: string;
  readonly port: number;
}

/** Reads `host:port` or `[address]:port`; undefined for anything else, so that no caller meets a port that is none. */
export function parseAuthority(text: string): Authority | undefined {
  const match = /^(?:\[([^\]]+)\]|([^:[\]/?#@\s]+)):(\d{1,5})$/.exec(text);
  if (match === null) return undefined;
  const [, address, name, digits] = match;
  const port = Number(digits);
  if (!isPort(port) || (address !== undefined && !isIPv6(address))) return undefined;
  return { host: address ?? name ?? '', port };
}

/** The host and port of a plain proxied request, `GET http://host/…`; undefined where a proxy cannot serve the URL. */
export function authorityOf(url: URL): Authority | undefined {
  const port = Number(url.port || 80);
  if (url.protocol !== 'http:' || url.hostname === '' || !isPort(port)) return undefined;
  return { host: url.hostname.replace(/^\[(.*)\]$/, '$1'), port };
}

function isPort(port: number): boolean {
  return Number.isInteger(port) && port > 0 && port < 65_536;
}
