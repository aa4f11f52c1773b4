import { isIP } from 'node:net';
import { invalid } from '../../field/cause.ts';
import type { Causes } from './check.ts';

/** Checks an IP address of either family. */
export function checkIp(address: string, field: string): Causes {
  return isIP(address) === 0
    ? [invalid(field, address, 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)')]
    : [];
}

/** Addresses that lead nowhere from another node. */
const unreachable: readonly (readonly [RegExp, (address: string) => string])[] = [
  [/^(0\.0\.0\.0|::)$/, (address) => `may not be unspecified (${address})`],
  [/^(127\.|::1$)/, () => 'may not be in the loopback range (127.0.0.0/8, ::1/128)'],
  [/^(169\.254\.|fe[89ab])/i, () => 'may not be in the link-local range (169.254.0.0/16, fe80::/10)'],
  [/^(224\.0\.0\.|ff02:)/i, () => 'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)'],
];

/** Checks the address of an endpoint. */
export function checkEndpointIp(address: string, field: string): Causes {
  if (isIP(address) === 0) return [invalid(field, address, 'must be a valid IP address')];
  return unreachable
    .filter(([range]) => range.test(address))
    .map(([, problem]) => invalid(field, address, problem(address)));
}

/** Checks a block of addresses. */
export function checkCidr(block: string, field: string): Causes {
  return isCidr(block)
    ? []
    : [invalid(field, block, 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)')];
}

/** Whether a text is a block of addresses. */
export function isCidr(block: string): boolean {
  const [address = '', bits = '', ...more] = block.split('/');
  const family = isIP(address);
  return more.length === 0 && family !== 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= (family === 6 ? 128 : 32);
}
