import type { Action } from '@manta/plan';
import { beforeEach, describe, expect, it } from 'vitest';
import { type EmittedEvents, NO_EVENTS, withoutRepeats } from './emitted-events.ts';

const event = (note: string): Action => ({
  type: 'event',
  event: { severity: 'Warning', reason: 'R', action: 'Validate', note },
});
const other: Action = { type: 'abort', message: 'x' };
let emitted: EmittedEvents;
beforeEach(() => {
  emitted = NO_EVENTS;
});

function reconcile(actions: readonly Action[], now = 0, generation = 1): readonly string[] {
  const fresh = withoutRepeats(emitted, actions, { now, generation });
  emitted = fresh.emitted;
  return fresh.actions.map(({ type }) => type);
}

describe('an event that every plan repeats', () => {
  it('is emitted once; other actions are kept each time', () => {
    expect(reconcile([event('a'), other])).toEqual(['event', 'abort']);
    expect(reconcile([event('a'), other])).toEqual(['abort']);
    expect(reconcile([event('a'), event('b')])).toEqual(['event']);
  });

  it('is emitted again after a plan without it', () => {
    reconcile([event('a')]);
    reconcile([]);
    expect(reconcile([event('a')])).toEqual(['event']);
  });

  it('is emitted again when the spec has changed, and after an hour', () => {
    reconcile([event('a')]);
    expect(reconcile([event('a')], 0, 2)).toEqual(['event']);
    expect(reconcile([event('a')], 3_599_999, 2)).toEqual([]);
    expect(reconcile([event('a')], 3_600_000, 2)).toEqual(['event']);
    expect(reconcile([event('a')], 3_600_001, 2)).toEqual([]);
  });
});
