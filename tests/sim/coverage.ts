import { readFile, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { commit, withRow } from '../support/coverage-table.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const PAGE = resolve(ROOT, 'docs/simulation.md');

/** What a long run has covered. */
export interface Covered {
  readonly scenario: string;
  readonly first: number;
  readonly played: number;
  /** The promise that was broken at the end; undefined when all were kept. */
  readonly finding: string | undefined;
}

/** Adds a row to the table in docs/simulation.md. Runs that end at once are not worth one. */
export async function record(covered: Covered, now = new Date()): Promise<void> {
  if (covered.played < 100) return;
  const page = await readFile(PAGE, 'utf8');
  await writeFile(PAGE, withRow(page, rowOf(covered, now, commit())));
}

/** One row of the table. */
export function rowOf({ scenario, first, played, finding }: Covered, now: Date, at: string): string {
  const told = finding === undefined ? 'none' : finding.replaceAll('|', '\\|').slice(0, 160);
  return `| ${now.toISOString().slice(0, 10)} | ${at} | ${scenario} | ${played} | ${first} | ${told} |`;
}
