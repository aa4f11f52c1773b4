/** A peer whose machine is gone says nothing any more. The system asks it this long after its last word, also while nothing is sent. */
export const KEEP_ALIVE_MS = 10_000;
