import { ownValue } from '@manta/base';
const ranks: Readonly<Record<string, number>> = { '': 3, beta: 2, alpha: 1 };

/** Orders versions as discovery prefers them: v2, v1, v1beta2, v1beta1, v1alpha1, then all other names by the alphabet. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [parse(a), parse(b)];
  if (left === undefined || right === undefined) {
    if (left !== undefined) return -1;
    if (right !== undefined) return 1;
    return a < b ? -1 : Number(a > b);
  }
  const differing = left.findIndex((part, index) => part !== right[index]);
  return differing === -1 ? 0 : (right[differing] ?? 0) - (left[differing] ?? 0);
}

/** Maturity, major, minor; undefined where the name does not follow the convention. */
function parse(version: string): readonly number[] | undefined {
  const [, major, stage = '', minor = '0'] = /^v([1-9]\d*)(?:(alpha|beta)([1-9]\d*))?$/.exec(version) ?? [];
  return major === undefined ? undefined : [ownValue(ranks, stage) ?? 0, Number(major), Number(minor)];
}
