import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isReleaseAtLeast, parseSemver } from './semver.ts';
import { compareVersions, formatVersion, isAtLeast, parseVersion } from './version.ts';

describe('versions of Ray and Kubernetes', () => {
  it.each([
    ['2.53.0', [2, 53, 0]],
    ['v1.36.4', [1, 36, 4]],
    ['2.53.0rc1', [2, 53, 0]],
    ['2.53.0.dev0', [2, 53, 0]],
    ['2.53', [2, 53]],
    [' 1.35+', [1, 35]],
    ['1.36.4-gke.1', [1, 36, 4]],
    ['2.053.0', [2, 53, 0]],
  ])('%s is %j', (text, version) => {
    expect(parseVersion(text)).toEqual({ ok: true, value: version });
  });

  it.each([
    ['nightly', 'could not parse "nightly" as version'],
    ['', 'could not parse "" as version'],
    ['2.53.0\n', String.raw`could not parse "2.53.0\n" as version`],
    ['2', 'illegal version string "2"'],
    ['02.1', 'illegal zero-prefixed version component "02" in "02.1"'],
    [
      '2.18446744073709551616',
      'illegal non-numeric version component "18446744073709551616" in "2.18446744073709551616": ' +
        'strconv.ParseUint: parsing "18446744073709551616": value out of range',
    ],
  ])('%j is refused', (text, error) => {
    expect(parseVersion(text)).toEqual({ ok: false, error });
  });

  it('are compared number by number, with absent ones as zero', () => {
    expect(isAtLeast([2, 53], [2, 53, 0])).toBe(true);
    expect(isAtLeast([2, 52, 9], [2, 53, 0])).toBe(false);
    expect(isAtLeast([2, 100], [2, 53, 0])).toBe(true);
    expect(isAtLeast([3, 0], [2, 53, 0])).toBe(true);
  });

  it('read and written again are the same, and so ordered', () => {
    const version = fc.array(fc.nat(99), { minLength: 2, maxLength: 4 });
    fc.assert(
      fc.property(version, version, (a, b) => {
        expect(parseVersion(`v${formatVersion(a)}-any`)).toEqual({ ok: true, value: a });
        expect(Math.sign(compareVersions(a, b))).toBe(0 - Math.sign(compareVersions(b, a)));
        expect(compareVersions([...a, 0], a)).toBe(0);
        expect(compareVersions([...a, 1], a)).toBeGreaterThan(0);
      }),
    );
  });
});

describe('the Ray version that job metadata asks for', () => {
  it.each([
    ['2.6.0', true],
    ['v2.6', true],
    ['3', true],
    ['2.06.1', true],
    ['2.6.0+build', true],
    ['2.5.9', false],
    ['2.53.0-rc1', false],
  ])('%s as release 2.6.0 or newer: %s', (text, expected) => {
    const semver = parseSemver(text);
    expect(semver.ok && isReleaseAtLeast(semver.value, [2, 6, 0])).toBe(expected);
    expect(semver.ok).toBe(true);
  });

  it.each([
    ['2.53.0rc1', 'Invalid Semantic Version'],
    ['nightly', 'Invalid Semantic Version'],
    ['', 'Invalid Semantic Version'],
    ['2.53.0-01', 'Version segment starts with 0'],
    [
      '18446744073709551616.0',
      'error parsing version segment: strconv.ParseUint: parsing "18446744073709551616": value out of range',
    ],
  ])('%j is no semantic version', (text, error) => {
    expect(parseSemver(text)).toEqual({ ok: false, error });
  });
});
