/** Time as something that is passed in. */
export interface RayClock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Calls `run` once after `delayMs`; the returned function cancels it. */
  setTimer(delayMs: number, run: () => void): () => void;
}
