import { styleText } from 'node:util';
import { describe, expect, it } from 'vitest';
import { fitLine, widthOf } from './fit-line.ts';

const red = (text: string) => styleText('red', text, { validateStream: false });

describe('widthOf()', () => {
  it.each([
    ['abc', 3],
    [red('abc'), 3],
    ['größe', 5],
    ['日本', 4],
    ['e\u0301', 1],
  ])('counts the columns of %j', (text, width) => {
    expect(widthOf(text)).toBe(width);
  });
});

describe('fitLine()', () => {
  it.each([
    ['short', 10, 'short'],
    ['exactly10!', 10, 'exactly10!'],
    ['eleven char', 10, 'eleven ch…'],
    ['日本語', 4, '日…'],
  ])('cuts %j to %i columns', (line, columns, expected) => {
    expect(fitLine(line, columns)).toBe(expected);
  });

  it('resets a colour that the cut leaves open', () => {
    expect(fitLine(red('abcdef'), 4)).toBe('\u001B[31mabc…\u001B[0m');
  });
});
