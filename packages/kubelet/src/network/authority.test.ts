import { describe, expect, it } from 'vitest';
import { authorityOf, parseAuthority } from './authority.ts';

describe('the target of a CONNECT request', () => {
  it.each([
    ['pypi.org:443', { host: 'pypi.org', port: 443 }],
    ['10.1.2.3:80', { host: '10.1.2.3', port: 80 }],
    ['[2001:db8::1]:443', { host: '2001:db8::1', port: 443 }],
  ])('%s is read', (text, expected) => {
    expect(parseAuthority(text)).toEqual(expected);
  });

  it.each([
    '',
    'a',
    'a:',
    ':1',
    'a:0',
    'a:65536',
    'a:99999999999',
    'a:1x',
    'a:-1',
    'a:1:2',
    '2001:db8::1:443',
    '[2001:db8::1]',
    '[a]:1',
    '[]:1',
    'u@h:1',
    'a/b:1',
    'a b:1',
    'a:1\r\nx',
  ])('%j is refused', (text) => {
    expect(parseAuthority(text)).toBeUndefined();
  });
});

describe('the target of a plain proxied request', () => {
  it('is the host and port of an http URL, an IPv6 address without brackets', () => {
    expect(authorityOf(new URL('http://a/x'))).toEqual({ host: 'a', port: 80 });
    expect(authorityOf(new URL('http://[::1]:8080/'))).toEqual({ host: '::1', port: 8080 });
  });

  it.each(['https://a/', 'file:///etc/passwd', 'a:1', 'http://a:0/', 'data:,x'])('%s is refused', (text) => {
    expect(authorityOf(new URL(text))).toBeUndefined();
  });
});
