import { execFileSync } from 'node:child_process';

const TABLE = /\| Date \| Commit \|[^\n]*\n(?:\|[^\n]*\n)*/;

/** The page with a row at the end of its table of runs. */
export function withRow(page: string, row: string): string {
  return page.replace(TABLE, (table) => `${table}${row}\n`);
}

/** The commit that runs, for such a row. */
export function commit(): string {
  try {
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], {
      cwd: import.meta.dirname,
      encoding: 'utf8',
    }).trim();
  } catch {
    return 'unknown';
  }
}
