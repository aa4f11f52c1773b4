const TICK_MS = 1000;
const FIRST = 100;
const THEREAFTER = 100;
/** Messages are constants, so few are ever counted at once; a caller that breaks the rule costs this much memory and no more. */
const MAX_COUNTERS = 4096;

interface Tally {
  resetAt: number;
  seen: number;
}

/** zap's sampling: of equal entries (level and message) within a second, the first hundred pass, then every hundredth. */
export class LogSampler {
  readonly #tallies = new Map<number, Map<string, Tally>>();

  allows(level: number, message: string, nowMs: number): boolean {
    const tally = this.#tally(level, message);
    if (nowMs >= tally.resetAt || tally.resetAt > nowMs + TICK_MS) {
      tally.resetAt = nowMs + TICK_MS;
      tally.seen = 0;
    }
    tally.seen += 1;
    return tally.seen <= FIRST || (tally.seen - FIRST) % THEREAFTER === 0;
  }

  #tally(level: number, message: string): Tally {
    let byMessage = this.#tallies.get(level);
    if (byMessage === undefined) this.#tallies.set(level, (byMessage = new Map()));
    let tally = byMessage.get(message);
    if (tally === undefined) {
      if (byMessage.size >= MAX_COUNTERS) byMessage.clear();
      byMessage.set(message, (tally = { resetAt: 0, seen: 0 }));
    }
    return tally;
  }
}
