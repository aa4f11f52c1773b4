import { inspect } from 'node:util';
import fc from 'fast-check';
import { compare, type Difference } from './compare.ts';
import type { Operation } from './operation.ts';
import { randomSequence } from './random-operations.ts';
import type { FuzzServer } from './server.ts';
import { shrink } from './shrink.ts';

/** How much to try. */
export interface FuzzRun {
  readonly seed: number;
  readonly sequences: number;
  /** Operations in each sequence. */
  readonly length: number;
}

/** What came of it: how many operations were compared, and the report of the first difference. */
export interface FuzzResult {
  readonly operations: number;
  readonly difference?: string;
}

/** Sends random sequences to both servers until they differ or all are done. */
export async function fuzz(real: FuzzServer, engine: FuzzServer, run: FuzzRun): Promise<FuzzResult> {
  const sequences = fc.sample(randomSequence(run.length), { seed: run.seed, numRuns: run.sequences });
  let operations = 0;
  for (const sequence of sequences) {
    const difference = await compare(real, engine, sequence);
    if (difference !== undefined)
      return { operations, difference: await report(real, engine, run, sequence, difference) };
    operations += sequence.length;
  }
  return { operations };
}

async function report(
  real: FuzzServer,
  engine: FuzzServer,
  { seed }: FuzzRun,
  sequence: readonly Operation[],
  first: Difference,
): Promise<string> {
  const stillFails = async (shorter: readonly Operation[]) => (await compare(real, engine, shorter)) !== undefined;
  const shortest = await shrink(sequence.slice(0, first.after), stillFails);
  const difference = (await compare(real, engine, shortest)) ?? first;
  return [
    `The servers differ (seed ${seed}). The shortest sequence that shows it:`,
    ...shortest.map((operation) => `  ${JSON.stringify(operation)}`),
    `at ${difference.at}`,
    ...differingLines(difference),
  ].join('\n');
}

/** Only the lines that one server says and the other does not. */
export function differingLines({ real, engine }: Difference): readonly string[] {
  const show = (value: unknown) =>
    inspect(value, { depth: 40, compact: false, breakLength: 200, sorted: true }).split('\n');
  const [ours, theirs] = [show(engine), show(real)];
  const without = (lines: readonly string[], others: readonly string[]) => {
    const seen = new Set(others);
    return lines.filter((line) => !seen.has(line));
  };
  return [
    '  only the real server says:',
    ...without(theirs, ours),
    '  only the engine says:',
    ...without(ours, theirs),
    ...(JSON.stringify(real).length < 4000
      ? [`  real: ${JSON.stringify(real)}`, `  engine: ${JSON.stringify(engine)}`]
      : []),
  ];
}
