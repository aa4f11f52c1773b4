import { describe, expect, it } from 'vitest';
import { ansiSpans } from './ansi.ts';

describe('ansiSpans()', () => {
  it('keeps plain text in one piece', () => {
    expect(ansiSpans('hello <b>')).toEqual([{ text: 'hello <b>', className: '' }]);
  });

  it('gives coloured pieces their classes and ends them at a reset', () => {
    expect(ansiSpans('a\u001b[1;31mred\u001b[0m b')).toEqual([
      { text: 'a', className: '' },
      { text: 'red', className: 'ansi-1 ansi-31' },
      { text: ' b', className: '' },
    ]);
  });

  it('drops sequences that move the cursor or set the title', () => {
    expect(
      ansiSpans('x\u001b[2Ky\u001b]0;title\u0007z')
        .map(({ text }) => text)
        .join(''),
    ).toBe('xyz');
    expect(ansiSpans('x\u001b]0;title\u001b\\y').map(({ text }) => text)).toEqual(['x', 'y']);
  });

  it('takes linear time for titles that never end', () => {
    const line = '\u001b]'.repeat(200_000);
    const started = performance.now();
    expect(ansiSpans(line)).toHaveLength(1);
    expect(performance.now() - started).toBeLessThan(1000);
  });
});
