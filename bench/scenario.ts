/** One thing that is measured. Figures are comparable only within one run on one machine; ratios travel. */
export interface Scenario {
  readonly name: string;
  readonly what: string;
  run(): Promise<Measurement>;
}

export interface Measurement {
  /** The line that a person reads. */
  readonly summary: string;
  readonly figures: Readonly<Record<string, number>>;
  /** What was promised, and whether this run keeps it. */
  readonly budgets: readonly { readonly what: string; readonly isKept: boolean }[];
}
