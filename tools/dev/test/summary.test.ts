import { describe, expect, it } from 'vitest';
import { summarize } from './summary.ts';
import type { TierResult } from './tier.ts';

const ran = (passed: number, failed: number, skipped: string[] = []): TierResult => ({
  kind: 'ran',
  tier: 'unit',
  seconds: 1,
  outcome: { passed, failed, skipped },
});
const leftOut: TierResult = {
  kind: 'left-out',
  tier: 'real',
  what: 'tests on a real API server',
  reason: 'there is no Go',
};

describe('summarize()', () => {
  it('ends with the line that tools read', () => {
    expect(summarize([ran(3, 0), ran(4, 1)], false).lines.at(-1)).toBe('7 passed, 1 failed');
  });

  it('names what was left out and why, and still succeeds where that is allowed', () => {
    const summary = summarize([ran(3, 0), leftOut], false);
    expect(summary.lines.join('\n')).toContain(
      'LEFT OUT  real: tests on a real API server\n          because there is no Go',
    );
    expect(summary.isSuccess).toBe(true);
  });

  it('counts a left-out tier as a failure where everything is required', () => {
    const summary = summarize([ran(3, 0), leftOut], true);
    expect(summary.lines.at(-1)).toBe('3 passed, 1 failed');
    expect(summary.isSuccess).toBe(false);
  });

  it('counts a skipped test as a failure where everything is required', () => {
    expect(summarize([ran(3, 0, ['a > b'])], true).lines.at(-1)).toBe('3 passed, 1 failed, 1 skipped');
    expect(summarize([ran(3, 0, ['a > b'])], false).lines.at(-1)).toBe('3 passed, 0 failed, 1 skipped');
  });

  it('names what failed, and what passed only by itself', () => {
    const outcome = { passed: 1, failed: 1, skipped: [], failures: ['a > b: too late'], unstable: ['c > d'] };
    const { lines, isSuccess } = summarize([{ kind: 'ran', tier: 'real', seconds: 1, outcome }], true);
    expect(lines).toContain('  failed  a > b: too late');
    expect(lines).toContain('UNSTABLE  c > d');
    expect(isSuccess).toBe(false);
  });

  it('does not call a run without any test a success', () => {
    expect(summarize([leftOut], false).isSuccess).toBe(false);
  });
});
