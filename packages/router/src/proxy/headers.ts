import type { RawHeaders } from './call.ts';
import type { HeaderChange } from './route-table.ts';

/** Headers that speak to the next hop only and must not travel further. */
const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  // Node takes it for a promise that it may have to refuse; trailers come through without it.
  'trailer',
  'transfer-encoding',
  'upgrade',
  'expect',
  'http2-settings',
]);

/** The first value of a header by its lower-case name. */
export function headerOf(headers: RawHeaders, name: string): string | undefined {
  for (let i = 0; i + 1 < headers.length; i += 2) {
    if (headers[i]?.toLowerCase() === name) return headers[i + 1];
  }
  return undefined;
}

/** All values of a header, joined as RFC 9110 allows. */
export function joinedHeader(headers: RawHeaders, name: string): string | undefined {
  let joined: string | undefined;
  for (let i = 0; i + 1 < headers.length; i += 2) {
    if (headers[i]?.toLowerCase() !== name) continue;
    joined = joined === undefined ? headers[i + 1] : `${joined},${headers[i + 1]}`;
  }
  return joined;
}

/** What may travel on: without pseudo headers, those for this hop, and those that `connection` names. */
export function endToEnd(headers: RawHeaders): string[] {
  const named = namedByConnection(headers);
  const kept: string[] = [];
  for (let i = 0; i + 1 < headers.length; i += 2) {
    const name = headers[i] ?? '';
    const lower = name.toLowerCase();
    if (lower.startsWith(':') || HOP_BY_HOP.has(lower) || named?.has(lower) === true) continue;
    kept.push(name, headers[i + 1] ?? '');
  }
  return kept;
}

/** Removes, replaces and adds, in place. */
export function changeHeaders(headers: string[], { set, add, remove }: HeaderChange): void {
  for (const name of remove) removeHeader(headers, name.toLowerCase());
  for (const [name, value] of set) {
    removeHeader(headers, name.toLowerCase());
    headers.push(name, value);
  }
  for (const [name, value] of add) headers.push(name, value);
}

/** Takes every header of this lower-case name out, in place. */
export function removeHeader(headers: string[], name: string): void {
  for (let i = headers.length - 2; i >= 0; i -= 2) {
    if (headers[i]?.toLowerCase() === name) headers.splice(i, 2);
  }
}

/** HTTP/2 may send each cookie in a header of its own; HTTP/1.1 knows one header for all. */
export function joinCookies(headers: RawHeaders): RawHeaders {
  const cookies = headers.filter((_, i) => i % 2 === 1 && headers[i - 1] === 'cookie');
  if (cookies.length < 2) return headers;
  const rest = [...headers];
  removeHeader(rest, 'cookie');
  return [...rest, 'cookie', cookies.join('; ')];
}

/** An address as people write it: IPv4 stays IPv4, also on a socket that takes both. */
export function plainAddress(address: string | undefined): string {
  return (address ?? '').replace(/^::ffff:(?=[0-9.]+$)/, '');
}

/** Whether a connection is one with TLS. */
export function isEncrypted(socket: object): boolean {
  return 'encrypted' in socket && socket.encrypted === true;
}

/** As HTTP/2 wants them: lower-case names, several values as a list. */
export function toFields(headers: RawHeaders): Record<string, string | string[]> {
  const fields: Record<string, string | string[]> = Object.create(null);
  for (let i = 0; i + 1 < headers.length; i += 2) {
    const name = (headers[i] ?? '').toLowerCase();
    const value = headers[i + 1] ?? '';
    const held = fields[name];
    if (held === undefined) fields[name] = value;
    else if (typeof held === 'string') fields[name] = [held, value];
    else held.push(value);
  }
  return fields;
}

/** The inverse of {@link toFields}, without pseudo headers. */
export function fromFields(
  fields: Readonly<Record<string, string | readonly string[] | number | undefined>>,
): string[] {
  const headers: string[] = [];
  for (const [name, value] of Object.entries(fields)) {
    if (name.startsWith(':') || value === undefined) continue;
    for (const one of typeof value === 'object' ? value : [String(value)]) headers.push(name, one);
  }
  return headers;
}

function namedByConnection(headers: RawHeaders): ReadonlySet<string> | undefined {
  const value = joinedHeader(headers, 'connection');
  if (value === undefined || value === 'keep-alive' || value === 'close') return undefined;
  return new Set(value.split(',').map((name) => name.trim().toLowerCase()));
}
