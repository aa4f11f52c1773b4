import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../../kube/src/testing/manual-clock.ts';
import { Sessions } from './sessions.ts';
import type { ViewerAccess } from './viewer.ts';

const viewer = { user: 'ada', groups: [], method: 'token' } as const;
const access = { transport: { close: async () => undefined } } as unknown as ViewerAccess;

describe('Sessions', () => {
  it('ends a session when it expires, although nobody asks for one: its streams may be open', () => {
    const clock = new ManualClock();
    const sessions = new Sessions(clock);
    const short = sessions.start(viewer, access, clock.now() + 60_000);
    const long = sessions.start(viewer, access);
    clock.advance(59_000);
    expect([short.ended.aborted, long.ended.aborted]).toEqual([false, false]);
    clock.advance(1000);
    expect([short.ended.aborted, long.ended.aborted]).toEqual([true, false]);
    expect(short.ended.reason).toEqual(new Error('the session has expired'));
    clock.advance(12 * 3_600_000);
    expect([long.ended.aborted, sessions.size]).toEqual([true, 0]);
  });

  it('leaves no timer behind', () => {
    const clock = new ManualClock();
    const sessions = new Sessions(clock);
    sessions.end(sessions.start(viewer, access).id);
    expect(clock.pendingDelaysMs()).toEqual([]);
  });
});
