import { goQuote } from './go-quote.ts';
import { type Parsed, parsed, unparsed } from './parsed.ts';

/** A version as a list of numbers; parts that aren't there count as 0 in comparisons. */
export type Version = readonly number[];

const MAX_UINT64 = 2n ** 64n - 1n;

/**
 * Reads a version of Ray or Kubernetes: an optional `v`, at least two numbers with dots between them, and any suffix,
 * which is ignored (`2.53.0rc1` is 2.53.0). `2` and `nightly` are no versions. Error texts are upstream's.
 */
export function parseVersion(text: string): Parsed<Version> {
  const numbers = /^[\t\n\f\r ]*v?([0-9]+(?:\.[0-9]+)*)[^\n]*$/.exec(text)?.[1];
  if (numbers === undefined) return unparsed(`could not parse ${goQuote(text)} as version`);
  const parts = numbers.split('.');
  if (parts.length < 2) return unparsed(`illegal version string ${goQuote(text)}`);
  const [major = ''] = parts;
  if (major.length > 1 && major.startsWith('0')) {
    return unparsed(`illegal zero-prefixed version component ${goQuote(major)} in ${goQuote(text)}`);
  }
  const tooLarge = parts.find((part) => BigInt(part) > MAX_UINT64);
  if (tooLarge !== undefined) {
    const cause = `strconv.ParseUint: parsing ${goQuote(tooLarge)}: value out of range`;
    return unparsed(`illegal non-numeric version component ${goQuote(tooLarge)} in ${goQuote(text)}: ${cause}`);
  }
  return parsed(parts.map(Number));
}

/** Negative where `a` is older than `b`, 0 where they are the same, positive where it is newer. */
export function compareVersions(a: Version, b: Version): number {
  for (let i = 0; i < Math.max(a.length, b.length); i++) {
    const difference = (a[i] ?? 0) - (b[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Is the version the given one or newer? */
export function isAtLeast(version: Version, minimum: Version): boolean {
  return compareVersions(version, minimum) >= 0;
}

/** The version with dots, e.g. `2.53.0`. */
export function formatVersion(version: Version): string {
  return version.join('.');
}
