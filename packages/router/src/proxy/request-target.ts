import type { RawHeaders } from './call.ts';

/** What a request asks for, and whom: the same form for HTTP/1.1, HTTP/2 and WebSockets, since routes are matched by it. */
export interface RequestTarget {
  /** A path with its query, or `*`. */
  readonly target: string;
  readonly host: string;
  /** Why the request is refused, with its status; then the other fields are of no use. */
  readonly refusal?: { readonly status: number; readonly why: string };
}

const HOST = /^(?:[A-Za-z0-9._~%!$&'()*+;=-]*|\[[0-9A-Fa-f:.]+\])(?::\d{0,5})?$/;
const ABSOLUTE = /^https?:\/\//i;
const QUOTED = 80;

/** Reads the target and the Host headers of a request over HTTP/1.1. A target that names a host wins over the header (RFC 9112, 3.2.2). */
export function readTarget(method: string, target: string, headers: RawHeaders): RequestTarget {
  let host: string | undefined;
  for (let i = 0; i + 1 < headers.length; i += 2) {
    const name = headers[i] ?? '';
    if (name.length !== 4 || name.toLowerCase() !== 'host') continue;
    if (host !== undefined) return refused('the request has two Host headers; send one');
    host = headers[i + 1] ?? '';
  }
  return normalize(method, target, host ?? '');
}

/** The same for HTTP/2, where `:authority` takes the place of the Host header; if both are there, they have to agree. */
export function readPseudoHeaders(method: string, headers: RawHeaders): RequestTarget {
  let path: string | undefined;
  let authority: string | undefined;
  let host: string | undefined;
  for (let i = 0; i + 1 < headers.length; i += 2) {
    const name = headers[i];
    const value = headers[i + 1] ?? '';
    if (name === ':path') path = value;
    else if (name === ':authority') authority = value;
    else if (name === 'host') {
      if (host !== undefined) return refused('the request has two host headers; send one');
      host = value;
    }
  }
  if (authority !== undefined && host !== undefined && authority.toLowerCase() !== host.toLowerCase())
    return refused(`the host header ${quoted(host)} differs from :authority ${quoted(authority)}`);
  return normalize(method, path ?? '', authority ?? host ?? '');
}

function normalize(method: string, given: string, header: string): RequestTarget {
  let target = given;
  let host = header;
  if (ABSOLUTE.test(target)) {
    const start = target.indexOf('//') + 2;
    const length = target.slice(start).search(/[/?#]/);
    const end = length < 0 ? target.length : start + length;
    host = target.slice(start, end);
    if (host === '') return refused(`the request target ${quoted(given)} names no host`);
    target = target[end] === '/' ? target.slice(end) : `/${target.slice(end)}`;
  }
  if (!HOST.test(host)) return refused(`the host ${quoted(host)} is not a host name with an optional port`);
  if (target === '*' && method === 'OPTIONS') return { target, host };
  if (!target.startsWith('/')) return refused(`the request target ${quoted(given)} is not a path`);
  if (target.includes('#')) return refused(`the request target ${quoted(given)} has a fragment, which is never sent`);
  const path = target.indexOf('?') < 0 ? target : target.slice(0, target.indexOf('?'));
  return { target: NEEDS_WORK.test(path) ? normalizePath(path) + target.slice(path.length) : target, host };
}

const NEEDS_WORK = /[%\\]|\/\./;
const UNRESERVED = /[A-Za-z0-9\-._~]/;

/** Equal paths get equal texts (RFC 3986, 6.2.2): escapes that need none are decoded, dot segments are resolved. */
export function normalizePath(path: string): string {
  const decoded = path.replaceAll('\\', '%5C').replaceAll(/%([0-9A-Fa-f]{2})/g, (escape, hex: string) => {
    const char = String.fromCharCode(Number.parseInt(hex, 16));
    return UNRESERVED.test(char) ? char : escape.toUpperCase();
  });
  if (!decoded.includes('/.')) return decoded;
  const segments: string[] = [];
  const given = decoded.slice(1).split('/');
  for (const [index, segment] of given.entries()) {
    const isDots = segment === '.' || segment === '..';
    if (segment === '..') segments.pop();
    if (!isDots) segments.push(segment);
    // What ends with a dot segment is a directory.
    else if (index === given.length - 1) segments.push('');
  }
  return `/${segments.join('/')}`;
}

function refused(why: string): RequestTarget {
  return { target: '/', host: '', refusal: { status: 400, why } };
}

function quoted(text: string): string {
  return JSON.stringify(text.length > QUOTED ? `${text.slice(0, QUOTED)}…` : text);
}
