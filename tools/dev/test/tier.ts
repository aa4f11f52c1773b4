/** A tier is a group of tests that need the same things of the machine. */
export interface Tier {
  readonly name: string;
  readonly what: string;
  /** Says why the tier cannot run here, or undefined when it can. May prepare what the tier needs (building binaries takes minutes). */
  readonly missing?: () => Promise<string | undefined>;
  readonly run: () => Promise<Outcome>;
}

/** What one tier's run came to. */
export interface Outcome {
  readonly passed: number;
  readonly failed: number;
  /** Which failed, and why, a line each; a failure may be without a name. */
  readonly failures?: readonly string[];
  /** Titles of tests that failed among others and passed by themselves: no failure, but nothing to be silent about. */
  readonly unstable?: readonly string[];
  /** Titles of tests that were registered but not run. */
  readonly skipped: readonly string[];
}

/** How a tier ended: it ran, or it was left out for a reason. */
export type TierResult =
  | { readonly kind: 'ran'; readonly tier: string; readonly outcome: Outcome; readonly seconds: number }
  | { readonly kind: 'left-out'; readonly tier: string; readonly what: string; readonly reason: string };
