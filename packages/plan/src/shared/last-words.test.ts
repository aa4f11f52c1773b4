import { describe, expect, it } from 'vitest';
import { lastWords } from './last-words.ts';

describe('lastWords()', () => {
  it.each([
    [
      'the error of a traceback',
      'failed:\nTraceback (most recent call last):\n  File "a.py", line 1\nModuleNotFoundError: No module named \'myap\'\n',
      "ModuleNotFoundError: No module named 'myap'",
    ],
    [
      'the last error, even before further lines',
      'ValueError: first\nray.exceptions.RayTaskError: second\nSee the logs.',
      'ray.exceptions.RayTaskError: second',
    ],
    ['the last line without an error', 'one\n\ntwo\n  \n', 'two'],
    ['nothing of an empty text', '', ''],
  ])('is %s', (_, text, expected) => {
    expect(lastWords(text)).toBe(expected);
  });

  it('is at most 240 characters long', () => {
    expect(lastWords('x'.repeat(1000))).toHaveLength(240);
  });

  it('has no half of a surrogate pair, which the API server would change', () => {
    expect(lastWords(`${'x'.repeat(238)}😀${'x'.repeat(10)}`).isWellFormed()).toBe(true);
  });
});
