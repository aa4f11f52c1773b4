import { describe, expect, test } from 'vitest';
import { formatListenAddress, parseListenAddress } from './listen-address.ts';

describe('parseListenAddress', () => {
  const good: Record<string, { host: string | undefined; port: number }> = {
    ':8080': { host: undefined, port: 8080 },
    '127.0.0.1:0': { host: '127.0.0.1', port: 0 },
    '0.0.0.0:8082': { host: '0.0.0.0', port: 8082 },
    'localhost:80': { host: 'localhost', port: 80 },
    '[::1]:80': { host: '::1', port: 80 },
    '[fe80::1%eth0]:65535': { host: 'fe80::1%eth0', port: 65_535 },
  };
  for (const [text, address] of Object.entries(good)) {
    test(`reads ${text} and writes it back`, () => {
      expect(parseListenAddress(text)).toEqual({ kind: 'listen', address });
      expect(formatListenAddress(address)).toBe(text);
    });
  }

  for (const text of ['', '0']) {
    test(`"${text}" switches the server off`, () => expect(parseListenAddress(text)).toEqual({ kind: 'disabled' }));
  }

  for (const text of ['8080', ':', ':http', ':65536', '::1:80', '[::1]', 'a b:x', '[x', ':-1', '[]:80']) {
    test(`refuses "${text}" and shows what is accepted`, () => {
      const parsed = parseListenAddress(text);
      expect(parsed).toMatchObject({
        kind: 'invalid',
        message: expect.stringContaining(`"${text}" is not an address`),
      });
      expect(parsed).toMatchObject({ message: expect.stringContaining('use ":8080"') });
    });
  }

  test('a bare port gets a hint', () => {
    expect(parseListenAddress('8080')).toMatchObject({ message: expect.stringContaining('did you mean ":8080"?') });
  });
});
