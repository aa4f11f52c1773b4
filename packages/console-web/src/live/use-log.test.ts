import { describe, expect, it } from 'vitest';
import { type LogState, next } from './use-log.ts';

const EMPTY: LogState = { lines: [], dropped: 0, hasEnded: false };

describe('next()', () => {
  it('appends lines and counts those that the server dropped', () => {
    const state = next(next(EMPTY, { type: 'lines', lines: ['a'] }), { type: 'lines', lines: ['b'], dropped: 7 });
    expect(state).toEqual({ lines: ['a', 'b'], dropped: 7, hasEnded: false });
  });

  it('keeps the newest 50,000 lines', () => {
    const lines = Array.from({ length: 30_000 }, (_, at) => `${at}`);
    const state = next(next(EMPTY, { type: 'lines', lines }), { type: 'lines', lines });
    expect([state.lines.length, state.dropped, state.lines.at(-1)]).toEqual([50_000, 10_000, '29999']);
  });

  it('says why a log broke off', () => {
    expect(next(EMPTY, { type: 'end', problem: 'the node is gone' })).toMatchObject({
      hasEnded: true,
      problem: 'the node is gone',
    });
  });
});
