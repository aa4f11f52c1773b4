import { describe, expect, it } from 'vitest';
import { createCelEnvironment } from './cel-environment.ts';

const environment = createCelEnvironment();

describe('a rule about URLs, addresses and ranges', () => {
  it.each([
    ['isURL("https://user@example.com:80/a?b=c")', true],
    ['isURL("/a/b")', true],
    ['isURL("mailto:a@example.com")', true],
    ['isURL("example.com")', false],
    ['isURL("https://example.com:port/")', false],
    ['isURL("https://a b/")', false],
    ['isURL("")', false],
    ['url("HTTPS://user@Example.com:443/a%20b?x=1").getScheme()', 'https'],
    ['url("https://user@Example.com:443/").getHost()', 'Example.com:443'],
    ['url("https://example.com:443/").getHostname()', 'example.com'],
    ['url("https://[::1]:443/").getHostname()', '::1'],
    ['url("https://[::1]:443/").getPort()', '443'],
    ['url("https://[::1]/").getPort()', ''],
    ['url("https://example.com/a%20b?x=1").getEscapedPath()', '/a%20b'],
    ['url("https://example.com/?x=1&x=2").getQuery()["x"][1]', '2'],
    ['isIP("10.0.0.1") && isIP("fd00::1")', true],
    ['isIP("10.0.0") || isIP("fe80::1%eth0") || isIP("10.0.0.1/8")', false],
    ['ip("fd00::1").family() == 6 && ip("10.0.0.1").family() == 4', true],
    ['ip("127.0.0.1").isLoopback() && ip("::").isUnspecified() && ip("169.254.1.1").isLinkLocalUnicast()', true],
    ['ip("8.8.8.8").isGlobalUnicast() && !ip("224.0.0.1").isGlobalUnicast()', true],
    ['string(ip("10.0.0.1"))', '10.0.0.1'],
    ['isCIDR("10.0.0.0/8") && isCIDR("fd00::/64")', true],
    ['isCIDR("10.0.0.0/33") || isCIDR("10.0.0.0")', false],
    ['cidr("10.0.0.0/8").containsIP("10.1.2.3") && !cidr("10.0.0.0/8").containsIP(ip("11.0.0.1"))', true],
    ['cidr("10.0.0.0/8").containsCIDR("10.1.0.0/16")', true],
    ['cidr("10.1.0.0/16").containsCIDR(cidr("10.0.0.0/8"))', false],
    ['cidr("10.0.0.0/8").prefixLength() == 8 && cidr("10.0.0.0/8").ip().family() == 4', true],
  ])('%s is %s', (expression, expected) => expect(environment.evaluate(expression)).toBe(expected));

  it.each(['url("example.com")', 'ip("10")', 'cidr("10.0.0.1")'])('cannot use %s', (expression) => {
    expect(() => void environment.evaluate(expression)).toThrow(/parse error during conversion from string/);
  });
});
