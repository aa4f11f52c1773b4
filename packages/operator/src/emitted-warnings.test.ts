import type { Action } from '@manta/plan';
import { beforeEach, describe, expect, it } from 'vitest';
import { EmittedWarnings } from './emitted-warnings.ts';

const event = (note: string): Action => ({
  type: 'event',
  event: { severity: 'Warning', reason: 'R', action: 'Validate', note },
});
const other: Action = { type: 'abort', message: 'x' };
let warnings: EmittedWarnings;
beforeEach(() => {
  warnings = new EmittedWarnings();
});
const told = (actions: readonly Action[], now = 0, generation = 1) =>
  warnings.withoutRepeats('ns/a', actions, { now, generation }).map(({ type }) => type);

describe('a standing warning', () => {
  it('is told once, and everything else each time', () => {
    expect(told([event('a'), other])).toEqual(['event', 'abort']);
    expect(told([event('a'), other])).toEqual(['abort']);
    expect(told([event('a'), event('b')])).toEqual(['event']);
  });

  it('is told again when it went and came back', () => {
    told([event('a')]);
    told([]);
    expect(told([event('a')])).toEqual(['event']);
  });

  it('is told again when the object has changed, and after an hour', () => {
    told([event('a')]);
    expect(told([event('a')], 0, 2)).toEqual(['event']);
    expect(told([event('a')], 3_599_999, 2)).toEqual([]);
    expect(told([event('a')], 3_600_000, 2)).toEqual(['event']);
    expect(told([event('a')], 3_600_001, 2)).toEqual([]);
  });

  it('is told again of another object under the same name', () => {
    told([event('a')]);
    warnings.forget('ns/a');
    expect(told([event('a')])).toEqual(['event']);
  });
});
