import { readFile, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { commit, withRow } from '../support/coverage-table.ts';

const PAGE = resolve(import.meta.dirname, 'README.md');

/** What a long run has compared. */
export interface Compared {
  readonly operations: number;
  readonly first: number;
  /** The difference that ended it; undefined where there was none. */
  readonly finding: string | undefined;
}

/** Adds a row to the table in README.md. */
export async function record({ operations, first, finding }: Compared, now = new Date()): Promise<void> {
  const told = finding?.split('\n').findLast((line) => line.startsWith('at ')) ?? finding ?? 'none';
  const shown = told.replaceAll('|', '\\|').slice(0, 160);
  const row = `| ${now.toISOString().slice(0, 10)} | ${commit()} | ${operations} | ${first} | ${shown} |`;
  await writeFile(PAGE, withRow(await readFile(PAGE, 'utf8'), row));
}
