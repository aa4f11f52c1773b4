import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net';
import type { Environment } from '@marcbachmann/cel-js';

/** Gives rules the functions about URLs, addresses and ranges of addresses. */
export function registerNetwork(environment: Environment): void {
  registerUrls(environment);
  registerAddresses(environment);
  registerRanges(environment);
}

/** A URL inside CEL, its parts as they were written. */
class CelUrl {
  readonly scheme: string;
  readonly host: string;
  readonly path: string;
  readonly query: string;

  constructor(scheme: string, host: string, path: string, query: string) {
    this.scheme = scheme;
    this.host = host;
    this.path = path;
    this.query = query;
  }

  get hostname(): string {
    return this.host.replace(/:\d*$/, '').replaceAll(/^\[|\]$/g, '');
  }

  get port(): string {
    return /:(\d*)$/.exec(this.host)?.[1] ?? '';
  }
}

/** An absolute URL or an absolute path; undefined where it is neither. */
function parseUrl(text: string): CelUrl | undefined {
  if (/[\p{Cc} ]/u.test(text) || /%(?![0-9a-f]{2})/i.test(text)) return undefined;
  const parts = /^(?:([a-z][a-z0-9+.-]*):)?(?:\/\/([^/?]*))?([^?]*)(?:\?(.*))?$/i.exec(text);
  if (parts === null) return undefined;
  const [, scheme = '', authority = '', path = '', query = ''] = parts;
  if (scheme === '' && (!text.startsWith('/') || authority !== '')) return undefined;
  const host = authority.replace(/^.*@/, '');
  if (!/^(?:\[[0-9a-f:.%]*\]|[^:[\]<>"\\^`{|}]*)(?::\d*)?$/i.test(host)) return undefined;
  return new CelUrl(scheme.toLowerCase(), host, path, query);
}

function registerUrls(environment: Environment): void {
  environment.registerType('URL', { ctor: CelUrl, fields: {} });
  environment.registerFunction('isURL(string): bool', (text: string) => parseUrl(text) !== undefined);
  environment.registerFunction('url(string): URL', (text: string) => {
    const url = parseUrl(text);
    if (url === undefined) throw new Error(`URL parse error during conversion from string: ${text}`);
    return url;
  });
  environment.registerFunction('URL.getScheme(): string', ({ scheme }: CelUrl) => scheme);
  environment.registerFunction('URL.getHost(): string', ({ host }: CelUrl) => host);
  environment.registerFunction('URL.getHostname(): string', ({ hostname }: CelUrl) => hostname);
  environment.registerFunction('URL.getPort(): string', ({ port }: CelUrl) => port);
  environment.registerFunction('URL.getEscapedPath(): string', ({ path }: CelUrl) => path);
  environment.registerFunction('URL.getQuery(): map<string, list<string>>', ({ query }: CelUrl) => {
    const params = new URLSearchParams(query);
    return Object.fromEntries([...params.keys()].map((key) => [key, params.getAll(key)]));
  });
}

/** An address inside CEL. */
class CelIp {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  get family(): 'ipv4' | 'ipv6' {
    return isIPv4(this.text) ? 'ipv4' : 'ipv6';
  }
}

/** Ranges of addresses with a meaning, by the function that asks for them. */
const ranges: Readonly<Record<string, readonly string[]>> = {
  isUnspecified: ['0.0.0.0/32', '::/128'],
  isLoopback: ['127.0.0.0/8', '::1/128'],
  isLinkLocalMulticast: ['224.0.0.0/24', 'ff02::/16'],
  isLinkLocalUnicast: ['169.254.0.0/16', 'fe80::/10'],
};
const notGlobal = ['0.0.0.0/32', '255.255.255.255/32', '127.0.0.0/8', '169.254.0.0/16', '224.0.0.0/4'];
const notGlobal6 = ['::/128', '::1/128', 'fe80::/10', 'ff00::/8'];

function parseIp(text: string): CelIp | undefined {
  return isIP(text) === 0 || text.includes('%') ? undefined : new CelIp(text);
}

function toIp(text: string): CelIp {
  const ip = parseIp(text);
  if (ip === undefined) throw new Error(`IP Address "${text}" parse error during conversion from string`);
  return ip;
}

function isWithin({ text, family }: CelIp, list: readonly string[]): boolean {
  return list.some((range) => parseCidr(range)?.blocks.check(text, family) === true);
}

function registerAddresses(environment: Environment): void {
  environment.registerType('IP', { ctor: CelIp, fields: {} });
  environment.registerFunction('isIP(string): bool', (text: string) => parseIp(text) !== undefined);
  environment.registerFunction('ip(string): IP', toIp);
  environment.registerFunction('string(IP): string', ({ text }: CelIp) => text);
  environment.registerFunction('IP.family(): int', ({ family }: CelIp) => (family === 'ipv4' ? 4n : 6n));
  for (const [name, list] of Object.entries(ranges)) {
    environment.registerFunction(`IP.${name}(): bool`, (ip: CelIp) => isWithin(ip, list));
  }
  environment.registerFunction(
    'IP.isGlobalUnicast(): bool',
    (ip: CelIp) => !isWithin(ip, [...notGlobal, ...notGlobal6]),
  );
}

/** A range of addresses inside CEL. */
class CelCidr {
  readonly address: CelIp;
  readonly bits: number;
  readonly blocks = new BlockList();

  constructor(address: CelIp, bits: number) {
    this.address = address;
    this.bits = bits;
    this.blocks.addSubnet(address.text, bits, address.family);
  }

  contains(ip: CelIp): boolean {
    return ip.family === this.address.family && this.blocks.check(ip.text, ip.family);
  }
}

function parseCidr(text: string): CelCidr | undefined {
  const [, address = '', digits = ''] = /^([^/]+)\/(\d{1,3})$/.exec(text) ?? [];
  const ip = parseIp(address);
  const bits = Number(digits);
  return ip === undefined || digits === '' || bits > (isIPv6(address) ? 128 : 32) ? undefined : new CelCidr(ip, bits);
}

function toCidr(text: string): CelCidr {
  const cidr = parseCidr(text);
  if (cidr === undefined) throw new Error(`network address parse error during conversion from string: ${text}`);
  return cidr;
}

function registerRanges(environment: Environment): void {
  environment.registerType('CIDR', { ctor: CelCidr, fields: {} });
  environment.registerFunction('isCIDR(string): bool', (text: string) => parseCidr(text) !== undefined);
  environment.registerFunction('cidr(string): CIDR', toCidr);
  environment.registerFunction('CIDR.ip(): IP', ({ address }: CelCidr) => address);
  environment.registerFunction('CIDR.prefixLength(): int', ({ bits }: CelCidr) => BigInt(bits));
  environment.registerFunction('CIDR.containsIP(IP): bool', (cidr: CelCidr, ip: CelIp) => cidr.contains(ip));
  environment.registerFunction('CIDR.containsIP(string): bool', (cidr: CelCidr, ip: string) => cidr.contains(toIp(ip)));
  const containsCidr = (outer: CelCidr, inner: CelCidr) => outer.bits <= inner.bits && outer.contains(inner.address);
  environment.registerFunction('CIDR.containsCIDR(CIDR): bool', containsCidr);
  environment.registerFunction('CIDR.containsCIDR(string): bool', (outer: CelCidr, inner: string) =>
    containsCidr(outer, toCidr(inner)),
  );
}
