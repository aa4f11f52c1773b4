import { describe, expect, it } from 'vitest';
import { belonging } from './marked-processes.ts';

const process = (pid: number, parent: number, session: number, isMarked = false) => ({
  pid,
  parent,
  session,
  isMarked,
});

describe('the processes of a pod', () => {
  it('are the marked ones, what they started, and what shares a session with them', () => {
    const seen = [
      process(1, 0, 1),
      process(50, 1, 50, true),
      process(51, 50, 50),
      // Has lost its parent and its mark.
      process(52, 1, 50),
      // A job in a session of its own, and what it started.
      process(53, 51, 53),
      process(54, 1, 53),
      process(60, 1, 60),
      process(61, 60, 60),
    ];
    expect(new Set(belonging(seen, new Set()))).toEqual(new Set([50, 51, 52, 53, 54]));
  });

  it('are found by their session when all that led to them has gone', () => {
    const sessions = new Set<number>();
    belonging([process(50, 1, 50, true), process(53, 50, 53)], sessions);
    expect(belonging([process(54, 1, 53), process(60, 1, 60)], sessions)).toEqual([54]);
  });

  it('are never those of the kernel, nor this process', () => {
    const own = globalThis.process.pid;
    expect(belonging([process(own, 1, 0, true), process(2, 0, 0)], new Set())).toEqual([]);
  });
});
