import { describe, expect, it } from 'vitest';
import { shellWord } from './shell-word.ts';

describe('shellWord()', () => {
  it.each([
    ['plain text', '/tmp/ray'],
    ['a variable', '$HOME/ray'],
    ['a command', '$(hostname)'],
    ['a command with an option', '$(hostname -i)'],
    ['a variable with another value in its place', '${RAY_HOME:-/home/ray}/tmp'],
    ['text in quotes', `'{"CPU": 2}'`],
    ['text in quotes with quotes in it', String.raw`"{\"CPU\": 2, \"b\": 1}"`],
    ['text that is quoted in parts', '"{"custom_resource":2}"'],
    ['what a user has escaped', String.raw`/tmp/my\ ray`],
    ['a command with quotes in it', '$(echo "a b")'],
    ['a command with brackets in it', '$(python3 -c "import socket; print(socket.gethostname())")'],
    ['a command within a command', '$(echo "$(echo a b)")'],
    ['a variable with another in its place', '${A:-"{a,b}"}'],
  ])('leaves %s alone', (_, text) => {
    expect(shellWord(text)).toBe(text);
  });

  it('takes no longer for text that is made to keep it busy', () => {
    expect(shellWord('{,'.repeat(20_000))).toBe('{,'.repeat(20_000));
    expect(shellWord(`'${'$('.repeat(20_000)}`)).toContain('$($(');
  });

  it.each([
    ['blanks', '/tmp/my ray', '"/tmp/my ray"'],
    ['what ends a command', 'a;b&c|d', '"a;b&c|d"'],
    ['parentheses', 'a(b)', '"a(b)"'],
    ['blanks that stand in for a variable', '${A:-b c}', '"${A:-b c}"'],
    ['braces that a shell would multiply', '{a,b}', '"{a,b}"'],
    ['the same with quotes in it', '{"a":1,"b":2}', String.raw`"{\"a\":1,\"b\":2}"`],
    ['a quote that is never closed', `it's`, `"it's"`],
    ['blanks beside what is quoted', '"a b" c', String.raw`"\"a b\" c"`],
    ['a backslash that would escape what follows', 'a\\', String.raw`"a\\"`],
    ['a command beside blanks, which still works', 'a $(echo "b") `id` "', 'a $(echo "b") `id` \\"'],
  ])('keeps %s together', (_, text, expected) => {
    expect(shellWord(text)).toBe(expected.startsWith('"') ? expected : `"${expected}"`);
  });
});
