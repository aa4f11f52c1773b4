/** An exception or rejection that no code of ours expected, caught where it could harm one connection only. */
export interface Failure {
  /** The part of the program that failed, in words that an operator of it knows: `service proxy`, `webhooks`. */
  readonly place: string;
  readonly error: unknown;
  /** Failures of the same place that were counted but not reported since the last report. */
  readonly unreported: number;
}

export type FailureListener = (failure: Failure) => void;

/** A client that can cause one failure can cause a thousand a second: so many are reported in each window, the others only counted. */
const REPORTS_PER_WINDOW = 10;
const WINDOW_MS = 60_000;

interface Tally {
  total: number;
  windowStart: number;
  inWindow: number;
  unreported: number;
}

const tallies = new Map<string, Tally>();
const listeners = new Set<FailureListener>();

/** Counts a failure and reports it to every listener; without a listener it goes to stderr, so that none is silent. Never throws. */
export function recordFailure(place: string, error: unknown): void {
  const now = performance.now();
  const tally = tallies.get(place) ?? { total: 0, windowStart: now, inWindow: 0, unreported: 0 };
  tallies.set(place, tally);
  tally.total += 1;
  if (now - tally.windowStart > WINDOW_MS) Object.assign(tally, { windowStart: now, inWindow: 0 });
  tally.inWindow += 1;
  if (tally.inWindow > REPORTS_PER_WINDOW) {
    tally.unreported += 1;
    return;
  }
  const failure = { place, error, unreported: tally.unreported };
  tally.unreported = 0;
  if (listeners.size === 0) toStderr(failure);
  for (const listener of listeners) {
    try {
      listener(failure);
    } catch {
      toStderr(failure);
    }
  }
}

/** Reports failures to `listener` until the returned function is called. */
export function onFailure(listener: FailureListener): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** How many failures each place has had since the process started. */
export function failureCounts(): ReadonlyMap<string, number> {
  return new Map([...tallies].map(([place, { total }]) => [place, total]));
}

function toStderr({ place, error, unreported }: Failure): void {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const more = unreported === 0 ? '' : ` (${unreported} more were not reported)`;
  try {
    process.stderr.write(`${place}: unexpected error${more}: ${text}\n`);
  } catch {
    // Without stderr the count is all that is left.
  }
}
