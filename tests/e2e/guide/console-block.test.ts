import { describe, expect, it } from 'vitest';
import { matches, stepsIn } from './console-block.ts';

describe('a console block', () => {
  it('is split into commands with their output; other blocks are not run', () => {
    const page = '```sh\nnpm install\n```\ntext\n```console\n$ one\nout\nmore\n$ two\n```\n';
    expect(stepsIn(page)).toEqual([
      { command: 'one', expected: 'out\nmore' },
      { command: 'two', expected: '' },
    ]);
  });
});

describe('the comparison with the promised output', () => {
  it.each([
    ['NAME   AGE\nx   1s\n', 'NAME AGE\nx …', true],
    ['NAME   AGE\ny   1s\n', 'NAME AGE\nx …', false],
    ['noise\nCPUs: 2.0\n', '…CPUs: 2.0', true],
    ['a+b (c)', 'a+b (c)', true],
    ['unexpected', '', false],
    ['', '', true],
  ])('%j against %j: %s', (output, expected, result) => {
    expect(matches(output, expected)).toBe(result);
  });
});
