import { describe, expect, it } from 'vitest';
import { readPseudoHeaders, readTarget } from './request-target.ts';

describe('the target of a request', () => {
  it.each([
    ['/a/b?c=d', '/a/b?c=d'],
    ['/a/../b', '/b'],
    ['/a/./b/.', '/a/b/'],
    ['/a/b/..', '/a/'],
    ['/../../etc', '/etc'],
    ['/a/%2e%2E/b', '/b'],
    ['/%61dmin', '/admin'],
    ['/a%2fb%zz', '/a%2Fb%zz'],
    ['/a\\..\\b', '/a%5C..%5Cb'],
    ['/a?x=/../y', '/a?x=/../y'],
    ['/.well-known/x', '/.well-known/x'],
    ['//a//b', '//a//b'],
    ['http://h/a/../b?c', '/b?c'],
    ['HTTP://h', '/'],
    ['http://h?q', '/?q'],
  ])('%s becomes %s', (given, target) => {
    expect(readTarget('GET', given, ['Host', 'h'])).toEqual({ target, host: 'h' });
  });

  it('names the host if it has one', () => {
    expect(readTarget('GET', 'http://other:81/x', ['Host', 'h'])).toEqual({ target: '/x', host: 'other:81' });
  });

  it('may be an asterisk for OPTIONS only', () => {
    expect(readTarget('OPTIONS', '*', ['Host', 'h'])).toEqual({ target: '*', host: 'h' });
    expect(readTarget('GET', '*', ['Host', 'h']).refusal?.status).toBe(400);
  });

  it.each([
    ['two hosts', '/', ['Host', 'a', 'hOST', 'a'], 'two Host headers'],
    ['no host in an absolute form', 'http:///x', ['Host', 'a'], 'names no host'],
    ['user information', 'http://u@h/', ['Host', 'a'], '"u@h"'],
    ['a path in the Host header', '/', ['Host', 'a/b'], '"a/b"'],
    ['two names in one Host header', '/', ['Host', 'a, b'], '"a, b"'],
    ['no path', 'x', ['Host', 'a'], 'is not a path'],
    ['another scheme', 'ftp://h/', ['Host', 'a'], 'is not a path'],
    ['a fragment', '/a#b', ['Host', 'a'], 'fragment'],
  ])('is refused with %s', (_, target, headers, why) => {
    const { refusal } = readTarget('GET', target, headers);
    expect(refusal?.status).toBe(400);
    expect(refusal?.why).toContain(why);
  });

  it('is read in the same way from HTTP/2', () => {
    const headers = [':method', 'GET', ':path', '/a/../b', ':authority', 'H'];
    expect(readPseudoHeaders('GET', headers)).toEqual({ target: '/b', host: 'H' });
    expect(readPseudoHeaders('GET', [...headers, 'host', 'h'])).toEqual({ target: '/b', host: 'H' });
    expect(readPseudoHeaders('GET', [...headers, 'host', 'x']).refusal?.why).toContain('differs from :authority');
  });
});
