import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { commandLine } from './job-submission.ts';

describe('commandLine()', () => {
  it.each([
    [['python train.py --lr 1'], 'python train.py --lr 1'],
    [['python', 'train.py', '$HOME'], 'python train.py $HOME'],
    [['python', '-c', 'print(1, 2)'], "python -c 'print(1, 2)'"],
    [['echo', ''], "echo ''"],
  ])('turns %j into a line for a shell', (words, line) => {
    expect(commandLine(words)).toBe(line);
  });

  it('keeps words with quotes and spaces together', () => {
    const words = ["it's", 'a "b"', ' c\n'];
    const line = commandLine(['printf', '%s,', ...words]);
    expect(execFileSync('sh', ['-c', line], { encoding: 'utf8' })).toBe('it\'s,a "b", c\n,');
  });
});
