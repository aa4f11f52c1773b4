import { goQuote } from './go-quote.ts';
import { type Parsed, parsed, unparsed } from './parsed.ts';
import { isAtLeast, type Version } from './version.ts';

/** A semantic version; build metadata takes no part in comparisons and is dropped. */
export interface SemanticVersion {
  readonly version: Version;
  /** Empty for a release. */
  readonly prerelease: string;
}

const IDENTIFIERS = '[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*';
const LENIENT = new RegExp(`^v?([0-9]+)(?:\\.([0-9]+))?(?:\\.([0-9]+))?(?:-(${IDENTIFIERS}))?(?:\\+${IDENTIFIERS})?$`);
const MAX_UINT64 = 2n ** 64n - 1n;

/** Reads a semantic version leniently: `v2`, `2.6` and leading zeros are fine, other suffixes than `-…` and `+…` aren't. */
export function parseSemver(text: string): Parsed<SemanticVersion> {
  const match = LENIENT.exec(text);
  if (match === null) return unparsed('Invalid Semantic Version');
  const [, major = '0', minor = '0', patch = '0', prerelease = ''] = match;
  const segments = [major, minor, patch];
  const tooLarge = segments.find((segment) => BigInt(segment) > MAX_UINT64);
  if (tooLarge !== undefined) {
    const cause = `strconv.ParseUint: parsing ${goQuote(tooLarge)}: value out of range`;
    return unparsed(`error parsing version segment: ${cause}`);
  }
  if (prerelease.split('.').some((part) => /^0[0-9]+$/.test(part))) return unparsed('Version segment starts with 0');
  return parsed({ version: segments.map(Number), prerelease });
}

/** Is this a release, and the given one or newer? A prerelease never satisfies a minimum. */
export function isReleaseAtLeast(semver: SemanticVersion, minimum: Version): boolean {
  return semver.prerelease === '' && isAtLeast(semver.version, minimum);
}
