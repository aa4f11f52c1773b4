import { BlockList, isIP } from 'node:net';
import { headerOf, joinedHeader, removeHeader } from './headers.ts';

/** Whether the client at this address is a trusted proxy. */
export type Trust = (address: string) => boolean;

/** No proxy is trusted. */
export const TRUST_NONE: Trust = () => false;

/** Trusts addresses and networks such as `10.0.0.0/8`; throws for a text that is neither. */
export function trustNetworks(networks: readonly string[]): Trust {
  if (networks.length === 0) return TRUST_NONE;
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', bits, ...more] = network.split('/');
    const family = isIP(address);
    const most = family === 4 ? 32 : 128;
    const length = bits === undefined ? most : Number(bits);
    if (family === 0 || more.length > 0 || !/^\d{1,3}$/.test(bits ?? '0') || length > most)
      throw new Error(`${JSON.stringify(network)} is not an address or a network such as 10.0.0.0/8`);
    list.addSubnet(address, length, family === 4 ? 'ipv4' : 'ipv6');
  }
  return (address) => isIP(address) !== 0 && list.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6');
}

/** Where a request came from. */
export interface Origin {
  readonly remoteAddress: string;
  readonly host: string;
  readonly isSecure: boolean;
}

/**
 * Adds the forwarding headers with the client's address, host and protocol. Such headers of the client are kept only if it is a trusted
 * proxy, because any client could forge them.
 */
export function setForwarded(headers: string[], { remoteAddress, host, isSecure }: Origin, isTrusted: boolean): void {
  if (!isTrusted) removeClaims(headers);
  const earlier = joinedHeader(headers, 'x-forwarded-for');
  if (earlier !== undefined) removeHeader(headers, 'x-forwarded-for');
  headers.push('x-forwarded-for', earlier === undefined ? remoteAddress : `${earlier}, ${remoteAddress}`);
  const add = (name: string, value: string) => {
    if (!isTrusted || headerOf(headers, name) === undefined) headers.push(name, value);
  };
  add('x-forwarded-proto', isSecure ? 'https' : 'http');
  add('x-forwarded-host', host);
  add('x-real-ip', remoteAddress);
}

/** Some servers read underscores in names as hyphens. */
function removeClaims(headers: string[]): void {
  for (let i = headers.length - 2; i >= 0; i -= 2) {
    const first = headers[i]?.[0];
    if (first !== 'x' && first !== 'X' && first !== 'f' && first !== 'F') continue;
    const name = (headers[i] ?? '').toLowerCase().replaceAll('_', '-');
    if (name.startsWith('x-forwarded-') || name === 'x-real-ip' || name === 'forwarded') headers.splice(i, 2);
  }
}
