import { describe, expect, it } from 'vitest';
import type { StoreEvent } from './contract.ts';
import { History } from './history.ts';

const event = (revision: number): StoreEvent => ({ type: 'ADDED', revision }) as StoreEvent;
const filled = (limits: { events: number; bytes: number }, sizes: readonly number[]) => {
  const history = new History(limits, 0);
  for (const [index, size] of sizes.entries()) history.append(event(index + 1), size);
  return history;
};
const revisions = (history: History) => history.after(history.compactedRevision).map(({ revision }) => revision);

describe('History', () => {
  it('forgets the oldest writes beyond its number of events', () => {
    expect(revisions(filled({ events: 2, bytes: 1000 }, [1, 1, 1, 1]))).toEqual([3, 4]);
  });

  it('forgets the oldest writes beyond its bytes', () => {
    const history = filled({ events: 100, bytes: 10 }, [4, 4, 4, 4]);
    expect(revisions(history)).toEqual([3, 4]);
    expect(history.compactedRevision).toBe(2);
  });

  it('forgets everything for one write that is larger than all of it', () => {
    const history = filled({ events: 100, bytes: 10 }, [4, 11]);
    expect(revisions(history)).toEqual([]);
    history.append(event(3), 4);
    expect(revisions(history)).toEqual([3]);
  });

  it('gives back the bytes of what is compacted', () => {
    const history = filled({ events: 100, bytes: 10 }, [4, 4]);
    history.compact(2);
    history.append(event(3), 5);
    history.append(event(4), 5);
    expect(revisions(history)).toEqual([3, 4]);
  });
});
