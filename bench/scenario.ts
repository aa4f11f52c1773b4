/** One thing that is measured. Figures are comparable only within one run on one machine; ratios travel. */
export interface Scenario {
  readonly name: string;
  readonly what: string;
  run(options?: RunOptions): Promise<Measurement>;
}

export interface RunOptions {
  /** A smaller number makes a quick look; 1 unless told, and only 1 is a measurement. Not every scenario heeds it. */
  readonly scale?: number;
}

export interface Measurement {
  /** The line that a person reads. */
  readonly summary: string;
  readonly figures: Readonly<Record<string, number>>;
  /** What was promised, and whether this run keeps it. */
  readonly budgets: readonly Budget[];
}

export interface Budget {
  readonly what: string;
  readonly isKept: boolean;
}
