import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Advisory, advisoriesIn, violations } from './policy.ts';
import { lockedPackages, shippedPackages } from './shipped.ts';

const root = resolve(import.meta.dirname, '../..');
const advisory = (name: string, severity: string): Advisory => ({ name, severity, title: 'bad', url: `u/${name}` });
const judged = (name: string, severity: string, accepted = {}) =>
  violations([advisory(name, severity)], (each) => each === 'shipped', accepted).length > 0;

describe('the policy', () => {
  it.each([
    ['shipped', 'low', false],
    ['shipped', 'moderate', true],
    ['shipped', 'critical', true],
    ['tool', 'high', false],
    ['tool', 'critical', true],
  ])('a weakness of a package that is %s and %s: forbidden is %s', (name, severity, isForbidden) => {
    expect(judged(name, severity)).toBe(isForbidden);
  });

  it('lets pass what was looked at, by its address', () => {
    expect(judged('shipped', 'critical', { 'u/shipped': 'we never call it' })).toBe(false);
  });

  it("reads npm's report", () => {
    const via = ['other', { title: 'bad', url: 'u/ws' }];
    const report = JSON.stringify({ vulnerabilities: { ws: { severity: 'high', via } } });
    expect(advisoriesIn(report)).toEqual([advisory('ws', 'high')]);
    expect(() => advisoriesIn('{"message":"405 Method Not Allowed"}')).toThrow('405');
  });
});

describe('what is installed', () => {
  const locked = Object.entries(lockedPackages(root)).filter(
    ([path, { link }]) => path.includes('node_modules/') && !link,
  );

  it('comes in the very bytes that were locked, from the registry and nowhere else', () => {
    const isRegistry = (resolved = '') => resolved === '' || resolved.startsWith('https://registry.npmjs.org/');
    const loose = locked.filter(
      // Programs for other platforms are in the lock by their version only.
      ([, { resolved, integrity, optional }]) =>
        !isRegistry(resolved) || (optional !== true && !integrity?.startsWith('sha512-')),
    );
    expect(loose.map(([path]) => path)).toEqual([]);
    expect(locked.length).toBeGreaterThan(20);
  });

  it('of which users run four packages, none of which runs anything when it is installed', () => {
    const shipped = shippedPackages(root);
    expect(shipped).toEqual(['@marcbachmann/cel-js', 'commander', 'ws', 'yaml']);
    expect(shipped.filter((name) => lockedPackages(root)[`node_modules/${name}`]?.hasInstallScript)).toEqual([]);
  });
});
