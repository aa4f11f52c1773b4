import { describe, expect, it } from 'vitest';
import {
  type CheckText,
  checkLabelName,
  checkLabelValue,
  checkPathSegment,
  checkQualifiedName,
  checkServiceName,
  checkSubdomainName,
  checkWildcardName,
} from './names.ts';

const checks: Readonly<Record<string, readonly [check: CheckText, good: readonly string[], bad: readonly string[]]>> = {
  'a label name': [
    checkLabelName,
    ['a', 'a-1', '1', 'a'.repeat(63)],
    ['', 'A', '-a', 'a-', 'a.b', 'a_b', 'a'.repeat(64)],
  ],
  'a subdomain name': [
    checkSubdomainName,
    ['a', 'a.b-c.1', 'a'.repeat(253)],
    ['', 'a..b', '.a', 'A.b', 'a'.repeat(254)],
  ],
  'the strict name of a service': [checkServiceName, ['a', 'a-1'], ['1a', 'a.b', '']],
  'a wildcard host': [checkWildcardName, ['*.a', '*.a.b'], ['*', 'a.*', '*.', '*a.b']],
  'a segment of a path': [checkPathSegment, ['a', 'system:x', 'A_b'], ['.', '..', 'a/b', 'a%']],
  'a qualified name': [checkQualifiedName, ['a', 'A_b.c', 'example.com/a'], ['', 'a/', '/a', 'a/b/c', '-a', 'A/b']],
  'the value of a label': [checkLabelValue, ['', 'a', 'A_b.c-1'], ['-a', 'a b', 'a'.repeat(64)]],
};

describe('accepts and refuses', () => {
  it.each(Object.entries(checks))('%s', (_, [check, good, bad]) => {
    expect(good.filter((text) => check(text).length > 0)).toEqual([]);
    expect(bad.filter((text) => check(text).length === 0)).toEqual([]);
  });
});

describe('says', () => {
  it('that a label is no subdomain', () => expect(checkLabelName('a.b')).toEqual(['must not contain dots']));

  it('what a label must look like, with examples and the pattern', () => {
    expect(checkLabelName('A')).toEqual([
      "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
    ]);
  });

  it('which part of a qualified name is wrong', () => {
    expect(checkQualifiedName('/a')).toEqual(['prefix part must be non-empty']);
    expect(checkQualifiedName(`a/${'b'.repeat(64)}`)).toEqual(['name part must be no more than 63 bytes']);
  });
});
