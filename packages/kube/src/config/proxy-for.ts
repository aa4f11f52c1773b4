import { BlockList, isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import { ConfigError } from './config-error.ts';
import type { Env } from './host.ts';

/**
 * The proxy through which `url` is to be reached, by Go's rules: HTTPS_PROXY or HTTP_PROXY by the scheme, minus what NO_PROXY lists;
 * upper case before lower case; loopback is never proxied. Pure; throws `ConfigError` when the variable holds no usable address.
 */
export function proxyFor(url: URL, env: Env): URL | undefined {
  const name = url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  const value = fromEnv(env, name);
  if (value === '' || (url.protocol !== 'https:' && url.protocol !== 'http:')) return undefined;
  if (isExempt(target(url), fromEnv(env, 'NO_PROXY'))) return undefined;
  const proxy = parseProxyUrl(value.includes('://') ? value : `http://${value}`);
  if (proxy === undefined) {
    throw new ConfigError(`${name}: not an address of a proxy; write http://host:port, https://… or socks5://…`, {
      file: name,
    });
  }
  return proxy;
}

/** The address when it is one of a proxy that we can talk to, else undefined. */
export function parseProxyUrl(text: string): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url !== undefined && PROXY_PORTS[url.protocol] !== undefined && url.hostname !== '' ? url : undefined;
}

/** The ports where a proxy is expected when its address names none. */
export const PROXY_PORTS: Readonly<Record<string, number>> = {
  'http:': 80,
  'https:': 443,
  'socks5:': 1080,
  'socks5h:': 1080,
};

interface Target {
  readonly host: string;
  readonly port: string;
  /** 0 for a name, else 4 or 6. */
  readonly family: number;
}

function fromEnv(env: Env, name: string): string {
  return env[name] || env[name.toLowerCase()] || '';
}

function target(url: URL): Target {
  const host = url.hostname.replace(/^\[|\]$/g, '').toLowerCase();
  return { host, port: url.port || (url.protocol === 'https:' ? '443' : '80'), family: isIP(host) };
}

function isExempt(where: Target, noProxy: string): boolean {
  if (where.host === 'localhost' || (where.family !== 0 && contains(LOOPBACK, where))) return true;
  return noProxy
    .split(',')
    .map((entry) => entry.trim().toLowerCase())
    .some((entry) => entry !== '' && entryMatches(entry, where));
}

function entryMatches(entry: string, where: Target): boolean {
  if (entry === '*') return true;
  const range = parseRange(entry);
  if (range !== undefined) return where.family !== 0 && contains(range, where);
  const { host, port } = splitPort(entry);
  if (host === '' || (port !== '' && port !== where.port)) return false;
  const family = isIP(host);
  if (family !== 0) {
    const single = new BlockList();
    single.addAddress(host, family === 6 ? 'ipv6' : 'ipv4');
    return where.family !== 0 && contains(single, where);
  }
  return domainMatches(host.startsWith('*.') ? host.slice(1) : host, where.host);
}

/** `foo.com` is that name and all below it; `.foo.com` only what is below. */
function domainMatches(pattern: string, host: string): boolean {
  const isSuffixOnly = pattern.startsWith('.');
  const bare = isSuffixOnly ? pattern.slice(1) : pattern;
  const name = domainToASCII(bare) || bare;
  return host.endsWith(`.${name}`) || (!isSuffixOnly && host === name);
}

function parseRange(entry: string): BlockList | undefined {
  const match = /^([0-9a-f.:]+)\/(\d{1,3})$/.exec(entry);
  const [, address = '', bits = ''] = match ?? [];
  const family = isIP(address);
  if (family === 0 || Number(bits) > (family === 6 ? 128 : 32)) return undefined;
  const range = new BlockList();
  range.addSubnet(address, Number(bits), family === 6 ? 'ipv6' : 'ipv4');
  return range;
}

/** Splits `host:port` and `[v6]:port`; a bare IPv6 address has no port. */
function splitPort(entry: string): { readonly host: string; readonly port: string } {
  const bracketed = /^\[([^\]]*)\](?::(\d*))?$/.exec(entry);
  if (bracketed !== null) return { host: bracketed[1] ?? '', port: bracketed[2] ?? '' };
  const plain = /^([^:]*):([^:]*)$/.exec(entry);
  return plain === null ? { host: entry, port: '' } : { host: plain[1] ?? '', port: plain[2] ?? '' };
}

function contains(list: BlockList, where: Target): boolean {
  return list.check(where.host, where.family === 6 ? 'ipv6' : 'ipv4');
}

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');
