import { describe, expect, it } from 'vitest';
import { isNewEnough, parseGoVersion } from './go-toolchain.ts';

describe('parseGoVersion()', () => {
  const cases: Record<string, readonly number[] | undefined> = {
    'go version go1.26.8 linux/amd64': [1, 26, 8],
    'go version go1.26 darwin/arm64': [1, 26, 0],
    'go version go1.27rc1 linux/amd64': [1, 27, 0],
    'go version devel +abc linux/amd64': undefined,
    'command not found': undefined,
  };
  it.each(Object.entries(cases))('reads "%s"', (text, version) => {
    expect(parseGoVersion(text)).toEqual(version);
  });
});

describe('isNewEnough()', () => {
  const cases: Record<string, { version: readonly number[]; answer: boolean }> = {
    'the same version is': { version: [1, 26, 0], answer: true },
    'a later patch is': { version: [1, 26, 8], answer: true },
    'a later minor is': { version: [1, 27, 0], answer: true },
    'a later major is': { version: [2, 0, 0], answer: true },
    'an earlier minor with a later patch is not': { version: [1, 25, 9], answer: false },
    'numbers are not compared as text': { version: [1, 3, 0], answer: false },
  };
  it.each(Object.entries(cases))('%s', (_, { version, answer }) => {
    expect(isNewEnough(version, '1.26.0')).toBe(answer);
  });
});
