import { networkInterfaces } from 'node:os';
import { describe, expect, it } from 'vitest';
import { createAddressPolicy } from './refused-address.ts';

const policy = createAddressPolicy({
  engineRanges: ['10.244.0.0/16', '10.0.0.0/16'],
  allowed: ['10.0.7.0/24', '127.0.0.9'],
  ownAddresses: () => ['192.0.2.7', '2001:db8::7', 'fe80::1%eth0'],
});

describe('the address policy of egress', () => {
  it.each([
    '127.0.0.1',
    '127.8.8.8',
    '::1',
    '0.0.0.0',
    '0.1.2.3',
    '::',
    '169.254.169.254',
    'fe80::1',
    'fe80::1%eth0',
    'fd00:ec2::254',
    '224.0.0.1',
    'ff02::1',
    '255.255.255.255',
    '10.244.0.5',
    '10.0.0.1',
    '192.0.2.7',
    '2001:db8::7',
    '2001:0db8:0:0::0007',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::ffff:0:7f00:1',
    '::ffff:192.0.2.7',
    '::127.0.0.1',
    '::10.0.0.1',
    '64:ff9b::7f00:1',
    '64:ff9b:1::7f00:1',
    '2002:7f00:1::',
    '2002:a9fe:a9fe::1',
    'no address',
    '127.1',
  ])('refuses %s', (address) => {
    expect(policy.whyNotAddress(address)).toEqual(expect.any(String));
  });

  it.each(['1.1.1.1', '10.1.2.3', '192.168.1.1', '2606:4700::1111', '::ffff:1.1.1.1', '10.0.7.3', '127.0.0.9'])(
    'allows %s',
    (address) => {
      expect(policy.whyNotAddress(address)).toBeUndefined();
    },
  );

  it.each(['localhost', 'LOCALHOST.', 'a.localhost', 'localhost.localdomain', 'ip6-localhost'])(
    'refuses %s',
    (name) => {
      expect(policy.whyNotName(name)).toBe('a name of the machine itself');
    },
  );

  it('allows other names', () => {
    expect(policy.whyNotName('pypi.org')).toBeUndefined();
    expect(policy.whyNotName('localhost.example.com')).toBeUndefined();
  });

  it('refuses every address that this machine has', () => {
    const real = createAddressPolicy({ engineRanges: [] });
    for (const { address } of Object.values(networkInterfaces()).flatMap((each) => each ?? []))
      expect(real.whyNotAddress(address)).toEqual(expect.any(String));
  });
});
