import { describe, expect, it } from 'vitest';
import {
  bracketed,
  dns1035LabelErrors,
  dns1123LabelErrors,
  labelKeyErrors,
  labelValueErrors,
} from './kubernetes-names.ts';

const NAME_RULE =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

describe('names', () => {
  it.each(['a', 'a-1', 'x'.repeat(63)])('%s is a DNS-1035 label', (name) => {
    expect(dns1035LabelErrors(name)).toEqual([]);
  });

  it.each(['', '1a', 'a.b', 'A', 'a-', 'a\n'])('%j is no DNS-1035 label', (name) => {
    expect(bracketed(dns1035LabelErrors(name))).toBe(
      "[a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')]",
    );
  });

  it('tells length and characters together', () => {
    expect(dns1035LabelErrors('A'.repeat(64))).toHaveLength(2);
    expect(dns1123LabelErrors('a'.repeat(64))).toEqual(['must be no more than 63 characters']);
  });

  it('says that a DNS-1123 label has no dots where dots are all that is wrong', () => {
    expect(dns1123LabelErrors('1.a')).toEqual(['must not contain dots']);
    expect(dns1123LabelErrors('1a')).toEqual([]);
  });
});

describe('labels', () => {
  it.each([
    ['example.com/MyName', []],
    ['my_name', []],
    ['/a', ['prefix part must be non-empty']],
    ['a/', ['name part must be non-empty', `name part ${NAME_RULE}`]],
    ['x'.repeat(64), ['name part must be no more than 63 bytes']],
    [
      'a/b/c',
      [`a valid label key ${NAME_RULE} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`],
    ],
    [
      'UP/b',
      [
        "prefix part a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
      ],
    ],
  ])('says what is wrong with the key %j', (key, errors) => {
    expect(labelKeyErrors(key)).toEqual(errors);
  });

  it.each(['', 'a', 'A_b.c-1'])('%j is a label value', (value) => {
    expect(labelValueErrors(value)).toEqual([]);
  });

  it('measures values in bytes', () => {
    expect(labelValueErrors('a'.repeat(64))).toEqual(['must be no more than 63 bytes']);
    expect(labelValueErrors('ä'.repeat(32))).toHaveLength(2);
  });
});
