import { describe, expect, it } from 'vitest';
import { parseKubernetesYaml, parseWholeYaml } from './kubernetes-yaml.ts';

const read = (text: string) => parseKubernetesYaml(`x: ${text}\n`);
const x = (value: unknown) => new Map([['x', value]]);

describe('parseKubernetesYaml()', () => {
  it.each([
    ['yes', true],
    ['off', false],
    ['"yes"', 'yes'],
    ['~', null],
    ['0123', 83],
    ['0o17', 15],
    ['-0o17', -15],
    ['0x1F', 31],
    ['1_000', 1000],
    ['1e3', 1000],
    ['.5', 0.5],
    ['2.10', 2.1],
    ['1e400', '1e400'],
    ['9007199254740991', 9007199254740991],
    ['9007199254740993', 9007199254740993n],
    ['-9223372036854775808', -9223372036854775808n],
    ['12345678901234567890', 12345678901234567890n],
    ['18_446_744_073_709_551_615', 18446744073709551615n],
    ['+18446744073709551615', 18446744073709552000],
    ['0X1f', 31],
    ['0B101', 5],
    ['08', 8],
    ['1__0', 10],
    ['5.', 5],
    ['0x1FFFFFFFFFFFFFFFF', '0x1FFFFFFFFFFFFFFFF'],
    ['.', '.'],
    ['./src', './src'],
    ['..', '..'],
    ['e3', 'e3'],
    ['.e3', '.e3'],
    ['1e', '1e'],
    ['+', '+'],
    ['-1.5.0', '-1.5.0'],
    ['_1', '_1'],
    ['!!float 3', 3],
    ['!!int "5"', 5],
    ['!!str 12', '12'],
    ['18446744073709551616', 18446744073709552000],
    ['-9223372036854775809', -9223372036854775808],
    ['0xFFFFFFFFFFFFFFFF', 18446744073709551615n],
    ['"12345678901234567890"', '12345678901234567890'],
    ['!!binary aGVsbG8=', 'hello'],
    ['!!set {a}', new Map([['a', null]])],
    ['-.inf', Number.NEGATIVE_INFINITY],
    ['1:30', '1:30'],
    ['1:30.5', '1:30.5'],
    ['2024-02-29', '2024-02-29'],
    ['2024-02-29T12:00:00Z', '2024-02-29T12:00:00Z'],
  ])('reads %s as the peer does', (text, value) => {
    expect(read(text)).toEqual(x(value));
  });

  it('keeps keys as they are, also those that JSON cannot have', () => {
    expect(read('{1: a, y: b, null: c}')).toEqual(
      x(
        new Map<unknown, string>([
          [1, 'a'],
          [true, 'b'],
          [null, 'c'],
        ]),
      ),
    );
  });

  it('takes the last of equal keys and follows anchors and merges', () => {
    expect(parseKubernetesYaml('a: 1\na: 2\n')).toEqual(new Map([['a', 2]]));
    expect(read('{base: &b {x: 1}, merged: {<<: *b, z: 2}}')).toEqual(
      x(
        new Map([
          ['base', new Map([['x', 1]])],
          [
            'merged',
            new Map([
              ['x', 1],
              ['z', 2],
            ]),
          ],
        ]),
      ),
    );
  });

  it.each([
    ['a: [1, 2\nb: 3\n', "yaml: line 1: did not find expected ',' or ']'"],
    ['{', "yaml: did not find expected ',' or '}'"],
    ['a: b: c', 'yaml: mapping values are not allowed in this context'],
    ['a: "b', 'yaml: found unexpected end of stream'],
    ['a: "b\n', 'yaml: line 2: found unexpected end of stream'],
    ['a: 1\n  b: 2\n', 'yaml: line 2: mapping values are not allowed in this context'],
    ['a:\n\t- b\n', 'yaml: line 2: found character that cannot start any token'],
    ['a: @b\n', 'yaml: found character that cannot start any token'],
    ['a: "\\q"\n', 'yaml: found unknown escape character'],
    ['a: 1\nb\n', "yaml: line 2: could not find expected ':'"],
    ['a: *nobody\n', "yaml: unknown anchor 'nobody' referenced"],
  ])('says what is wrong with %j', (text, message) => {
    expect(() => parseKubernetesYaml(text)).toThrow(message);
  });

  it('reads the first of several documents', () => {
    expect(parseKubernetesYaml('---\na: b\n---\nc: d\n')).toEqual(new Map([['a', 'b']]));
  });

  it('does not unfold a text without bounds', () => {
    const bomb = ['a: &a [x, x, x, x, x, x, x, x, x]'];
    for (const [before, name] of ['a b', 'b c', 'c d', 'd e', 'e f'].map((pair) => pair.split(' '))) {
      bomb.push(`${name}: &${name} [${Array.from({ length: 9 }, () => `*${before}`).join(', ')}]`);
    }
    expect(() => parseKubernetesYaml(bomb.join('\n'))).toThrow(/alias/);
  });
});

describe('a text beyond the limit', () => {
  const text = JSON.stringify({ a: [1, { b: 'x'.repeat(70_000) }] });

  it('is read the same way if it is JSON', () => {
    expect(parseKubernetesYaml(text)).toEqual(parseWholeYaml(text));
  });

  it('is refused with a remedy if it is not', () => {
    expect(() => parseKubernetesYaml(`${text}#`)).toThrow(
      /yaml: \d+ characters, at most 65536 are parsed: write them as JSON/,
    );
  });
});
