import { isIP } from 'node:net';
import { invalid } from '../../field/cause.ts';
import type { Causes } from './check.ts';

/** Checks an IP address of either family. */
export function checkIp(address: string, field: string): Causes {
  return isIP(address) === 0
    ? [invalid(field, address, 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)')]
    : [];
}
