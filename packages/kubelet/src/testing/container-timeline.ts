import { type ContainerMoment, type Ended, type RestartPolicy, restarts } from '../pods/container-state.ts';
import type { ContainerRun } from './pod-script.ts';

const FIRST_BACKOFF_MS = 10_000;
const LONGEST_BACKOFF_MS = 300_000;

/** A container's present run, and how the one before it ended. */
export interface Timeline {
  readonly attempt: number;
  /** When the run could begin: when the pod came to its node, or when the wait after a crash is over. */
  readonly beginMs: number;
  readonly run: ContainerRun;
  readonly last?: Ended;
}

/** Moves a timeline over every restart that is due; a container that is not restarted stays in its last run. */
export function advance(
  timeline: Timeline,
  nowMs: number,
  policy: RestartPolicy,
  runOf: (attempt: number) => ContainerRun,
): Timeline {
  let current = timeline;
  for (;;) {
    const moment = momentOf(current, nowMs);
    if (moment.state !== 'ended' || !restarts(policy, moment.code)) return current;
    const attempt = current.attempt + 1;
    const { state: _, ...last } = moment;
    current = { attempt, beginMs: moment.endMs + backoff(attempt), run: runOf(attempt), last };
  }
}

/** The state of the current run at a time, and when it changes next. */
export function momentOf({ attempt, beginMs, run, last }: Timeline, nowMs: number): ContainerMoment {
  if (nowMs < beginMs && attempt > 0) return { ...CRASH_LOOP, nextMs: beginMs };
  const { startAfterMs = 0, readyAfterMs = 0, waiting = CREATING, exit } = run;
  const startMs = startAfterMs === 'never' ? Number.POSITIVE_INFINITY : beginMs + startAfterMs;
  if (nowMs < startMs) {
    const wait = { state: 'waiting', ...(last === undefined ? waiting : CRASH_LOOP) } as const;
    return startMs === Number.POSITIVE_INFINITY ? wait : { ...wait, nextMs: startMs };
  }
  if (exit !== undefined && nowMs >= startMs + exit.afterMs) {
    const { afterMs, ...how } = exit;
    return { state: 'ended', startMs, endMs: startMs + afterMs, ...how };
  }
  const readyMs = readyAfterMs === 'never' ? Number.POSITIVE_INFINITY : startMs + readyAfterMs;
  const exitMs = exit === undefined ? Number.POSITIVE_INFINITY : startMs + exit.afterMs;
  const nextMs = nowMs < readyMs ? Math.min(readyMs, exitMs) : exitMs;
  const running = { state: 'running', startMs, isReady: nowMs >= readyMs } as const;
  return nextMs === Number.POSITIVE_INFINITY ? running : { ...running, nextMs };
}

const CREATING = { reason: 'ContainerCreating' } as const;
const CRASH_LOOP = { state: 'waiting', reason: 'CrashLoopBackOff' } as const;

/** The first restart comes at once, each further one later. */
function backoff(attempt: number): number {
  return attempt <= 1 ? 0 : Math.min(FIRST_BACKOFF_MS * 2 ** (attempt - 2), LONGEST_BACKOFF_MS);
}
