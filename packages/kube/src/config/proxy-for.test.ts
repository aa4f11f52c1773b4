import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { proxyFor } from './proxy-for.ts';

const PROXY = 'http://proxy.corp:3128';

/** Url, NO_PROXY, and whether the proxy is used. */
const NO_PROXY_RULES: Readonly<Record<string, readonly [url: string, noProxy: string, isProxied: boolean]>> = {
  'without NO_PROXY everything goes through': ['https://api.example.com:6443', '', true],
  'a star switches the proxy off': ['https://api.example.com', '*', false],
  'a star anywhere in the list counts': ['https://10.0.0.1', 'foo.com, *', false],
  'a name matches itself': ['https://example.com', 'example.com', false],
  'a name matches what is below it': ['https://api.example.com', 'example.com', false],
  'a name does not match a longer name': ['https://badexample.com', 'example.com', true],
  'a leading dot matches what is below': ['https://api.example.com', '.example.com', false],
  'a leading dot does not match the name itself': ['https://example.com', '.example.com', true],
  'a leading star is a leading dot': ['https://api.example.com', '*.example.com', false],
  'a leading star does not match the name itself': ['https://example.com', '*.example.com', true],
  'upper case in the list is fine': ['https://api.example.com', 'EXAMPLE.COM', false],
  'blanks around entries are fine': ['https://api.example.com', ' a.b , example.com ', false],
  'empty entries are ignored': ['https://api.example.com', ',,', true],
  'a port must be the one in the address': ['https://api.example.com:6443', 'example.com:443', true],
  'a port that fits exempts': ['https://api.example.com:6443', 'example.com:6443', false],
  'a missing port means 443 for https': ['https://example.com', 'example.com:443', false],
  'an entry that is only a port is ignored': ['https://example.com', ':443', true],
  'an address matches itself': ['https://10.1.2.3:6443', '10.1.2.3', false],
  'an address with another port does not match': ['https://10.1.2.3:6443', '10.1.2.3:443', true],
  'an address with its port matches': ['https://10.1.2.3:6443', '10.1.2.3:6443', false],
  'a range holds the address': ['https://10.96.0.1', '10.96.0.0/12', false],
  'a range that does not hold the address': ['https://10.112.0.1', '10.96.0.0/12', true],
  'a range has nothing to say about names': ['https://ten.example.com', '0.0.0.0/0', true],
  'a broken range is ignored': ['https://10.96.0.1', '10.96.0.0/33', true],
  'an IPv6 address matches itself in any spelling': ['https://[fd00::1]:6443', 'fd00:0:0::1', false],
  'an IPv6 address with its port matches': ['https://[fd00::1]:6443', '[fd00::1]:6443', false],
  'an IPv6 address with another port does not': ['https://[fd00::1]:6443', '[fd00::1]:443', true],
  'an IPv6 range holds the address': ['https://[fd00::1]', 'fd00::/8', false],
  'loopback is never proxied': ['https://127.0.0.1:6443', '', false],
  'all of 127/8 is loopback': ['https://127.9.8.7', '', false],
  'IPv6 loopback is never proxied': ['https://[::1]:6443', '', false],
  'localhost is never proxied': ['https://localhost:6443', '', false],
  'the suffix .local has no special meaning': ['https://kubernetes.default.svc.cluster.local', '', true],
  'a name in another script matches its ASCII form': ['https://api.bücher.example', 'bücher.example', false],
};

describe('NO_PROXY', () => {
  test.each(Object.entries(NO_PROXY_RULES))('%s', (_, [url, noProxy, isProxied]) => {
    const proxy = proxyFor(new URL(url), { HTTPS_PROXY: PROXY, NO_PROXY: noProxy });
    expect(proxy?.host).toBe(isProxied ? 'proxy.corp:3128' : undefined);
  });

  test('a name is exempt exactly when it or a parent is listed', () => {
    const label = fc.stringMatching(/^[a-z][a-z0-9]{0,5}$/);
    const name = fc.array(label, { minLength: 2, maxLength: 4 }).map((labels) => labels.join('.'));
    fc.assert(
      fc.property(name, name, (host, listed) => {
        const isBelow = host === listed || host.endsWith(`.${listed}`);
        const proxy = proxyFor(new URL(`https://${host}`), { HTTPS_PROXY: PROXY, NO_PROXY: listed });
        expect(proxy === undefined).toBe(isBelow);
      }),
    );
  });

  test('never throws, whatever the list holds', () => {
    const urls = ['https://[fd00::1]:6443', 'https://10.0.0.1', 'https://a.b'].map((url) => new URL(url));
    fc.assert(
      fc.property(fc.constantFrom(...urls), fc.string(), (url, noProxy) => {
        expect([undefined, 'proxy.corp:3128']).toContain(
          proxyFor(url, { HTTPS_PROXY: PROXY, NO_PROXY: noProxy })?.host,
        );
      }),
    );
  });
});

describe('the choice of the proxy', () => {
  test('https goes by HTTPS_PROXY, http by HTTP_PROXY', () => {
    const env = { HTTPS_PROXY: 'http://secure:1', HTTP_PROXY: 'http://plain:2' };
    expect(proxyFor(new URL('https://a.b'), env)?.host).toBe('secure:1');
    expect(proxyFor(new URL('http://a.b'), env)?.host).toBe('plain:2');
  });

  test('HTTP_PROXY alone does not touch https', () => {
    expect(proxyFor(new URL('https://a.b'), { HTTP_PROXY: PROXY })).toBeUndefined();
  });

  test('lower case counts where upper case is unset or empty', () => {
    expect(proxyFor(new URL('https://a.b'), { https_proxy: PROXY })?.host).toBe('proxy.corp:3128');
    expect(proxyFor(new URL('https://a.b'), { HTTPS_PROXY: '', https_proxy: PROXY })?.host).toBe('proxy.corp:3128');
    expect(proxyFor(new URL('https://a.b'), { HTTPS_PROXY: 'http://up:1', https_proxy: PROXY })?.host).toBe('up:1');
    expect(proxyFor(new URL('https://a.b'), { HTTPS_PROXY: PROXY, no_proxy: 'a.b' })).toBeUndefined();
  });

  test('an address without a scheme is an HTTP proxy', () => {
    expect(proxyFor(new URL('https://a.b'), { HTTPS_PROXY: 'proxy.corp:3128' })?.href).toBe('http://proxy.corp:3128/');
    expect(proxyFor(new URL('https://a.b'), { HTTPS_PROXY: '10.0.0.1:8080' })?.href).toBe('http://10.0.0.1:8080/');
  });

  test('socks5 is kept', () => {
    expect(proxyFor(new URL('https://a.b'), { HTTPS_PROXY: 'socks5://s:1080' })?.protocol).toBe('socks5:');
  });

  test('an address that cannot be one is named by its variable, and its password is not shown', () => {
    const env = { HTTPS_PROXY: 'http://user:secret@pro xy:3128' };
    expect(() => proxyFor(new URL('https://a.b'), env)).toThrow(/^HTTPS_PROXY: not an address of a proxy/);
    expect(() => proxyFor(new URL('https://a.b'), env)).not.toThrow(/secret/);
  });
});
