import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { lockfileProblems } from './lockfile.ts';
import { type Advisory, advisoriesIn, violations } from './policy.ts';
import { lockedPackages, shippedPackages } from './shipped.ts';

const root = resolve(import.meta.dirname, '../../..');
const advisory = (name: string, severity: string): Advisory => ({ name, severity, title: 'bad', url: `u/${name}` });
const judged = (name: string, severity: string, accepted = {}) =>
  violations([advisory(name, severity)], (each) => each === 'shipped', accepted).length > 0;

describe('the policy', () => {
  it.each([
    ['shipped', 'low', false],
    ['shipped', 'moderate', true],
    ['shipped', 'critical', true],
    ['tool', 'moderate', false],
    ['tool', 'high', true],
    ['tool', 'critical', true],
  ])('a weakness of a package that is %s and %s: forbidden is %s', (name, severity, isForbidden) => {
    expect(judged(name, severity)).toBe(isForbidden);
  });

  it('lets pass what was looked at, by its address', () => {
    expect(judged('shipped', 'critical', { 'u/shipped': 'we never call it' })).toBe(false);
  });

  it("reads npm's report", () => {
    const via = ['other', { title: 'bad', url: 'u/ws' }, { title: 'bad', url: 'u/ws', severity: 'low' }];
    const report = JSON.stringify({ vulnerabilities: { ws: { severity: 'high', via } } });
    expect(advisoriesIn(report)).toEqual([advisory('ws', 'high'), advisory('ws', 'low')]);
  });

  it.each([
    ['405 Method Not Allowed', true],
    ['404 Not Found', true],
    ['403 Forbidden', true],
    ['503 Service Unavailable', false],
    ['request to https://registry failed, reason: getaddrinfo ENOTFOUND', false],
  ])('where the registry says %s, that it keeps no advisories is %s', (message, isForGood) => {
    const report = () => advisoriesIn(JSON.stringify({ message }));
    expect(report).toThrow(message);
    expect(report).toThrow(expect.objectContaining({ name: 'NoAdvisories', isForGood }));
  });
});

describe('what the lockfile lets in', () => {
  const shipped = shippedPackages(root);
  const locked = lockedPackages(root);
  const fine = { version: '1.0.0', integrity: 'sha512-x', license: 'MIT' };

  it('is nothing that is forbidden', () => {
    expect(Object.keys(locked).length).toBeGreaterThan(20);
    expect(lockfileProblems(locked, shipped)).toEqual([]);
  });

  it.each([
    ['nothing of these', fine, []],
    ['bytes that nobody vouches for', { ...fine, integrity: 'sha1-x' }, ['ws: has no SHA-512 of its bytes']],
    ['another origin', { ...fine, resolved: 'git+ssh://x' }, ['ws: comes from git+ssh://x, not from the registry']],
    ['a script', { ...fine, hasInstallScript: true }, ['ws: runs a program when it is installed']],
    ['a licence that asks for more', { ...fine, license: 'GPL-3.0' }, ['ws: has the licence GPL-3.0']],
    ['a licence that only tools may have', { ...fine, license: 'MPL-2.0' }, ['ws: has the licence MPL-2.0']],
    ['a choice of licences', { ...fine, license: '(GPL-3.0 OR MIT)' }, []],
  ])('with %s', (_, entry, problems) => {
    expect(lockfileProblems({ 'node_modules/ws': entry }, ['ws'])).toEqual(problems);
  });

  it('takes licences of tools, and programs for other platforms by their version', () => {
    const tool = { ...fine, license: 'MPL-2.0' };
    const elsewhere = { version: '1.0.0', optional: true };
    expect(lockfileProblems({ 'node_modules/tool': tool, 'node_modules/a/node_modules/b': elsewhere }, [])).toEqual([]);
  });

  it('says when users would run one more', () => {
    expect(lockfileProblems({}, ['left-pad'])).toEqual([
      'left-pad: is run by users, and is not on the list of those that may be',
    ]);
  });
});
