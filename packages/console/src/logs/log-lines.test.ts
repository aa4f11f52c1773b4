import { describe, expect, it } from 'vitest';
import { LogLines } from './log-lines.ts';

const LIMITS = { lineLength: 10, keptLines: 4, keptLength: 1000, batchLines: 3, batchLength: 1000, pauseMs: 100 };

describe('LogLines', () => {
  it('joins the pieces of a line and keeps an unfinished one back', () => {
    const lines = new LogLines();
    lines.push('one\r\ntw');
    expect(lines.take()).toEqual({ type: 'lines', lines: ['one'] });
    expect(lines.take()).toBeUndefined();
    lines.push('o\n');
    lines.push('three');
    lines.end();
    expect(lines.take()).toEqual({ type: 'lines', lines: ['two', 'three'] });
  });

  it('cuts a long line while it arrives and says how much is missing', () => {
    const lines = new LogLines(LIMITS);
    for (let at = 0; at < 100; at++) lines.push('x'.repeat(20_000));
    lines.push('\nshort\n');
    expect(lines.take()).toEqual({
      type: 'lines',
      lines: [`${'x'.repeat(10)} … (1999990 more characters)`, 'short'],
    });
  });

  it('drops the oldest lines beyond the limit and counts them in the next message', () => {
    const lines = new LogLines(LIMITS);
    lines.push('1\n2\n3\n4\n5\n6\n');
    expect(lines.isFull).toBe(true);
    lines.dropSurplus();
    expect(lines.take()).toEqual({ type: 'lines', lines: ['3', '4', '5'], dropped: 2 });
    expect(lines.take()).toEqual({ type: 'lines', lines: ['6'] });
  });

  it('bounds the characters that wait, too', () => {
    const lines = new LogLines({ ...LIMITS, keptLength: 12 });
    lines.push('aaaaaa\nbbbbbb\ncccccc\n');
    lines.dropSurplus();
    expect(lines.take()).toEqual({ type: 'lines', lines: ['bbbbbb', 'cccccc'], dropped: 1 });
  });
});
