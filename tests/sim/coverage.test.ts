import { expect, it } from 'vitest';
import { withRow } from '../support/coverage-table.ts';
import { rowOf } from './coverage.ts';

it('adds what a long run has covered to the end of the table, wherever that stands in the page', () => {
  const covered = { scenario: 'toy', first: 7, played: 1_000, finding: 'a | b' };
  const row = rowOf(covered, new Date('2026-01-02T03:04:05Z'), 'abc1234');
  const page = '# Page\n\n| Date | Commit | Scenario |\n| --- | --- | --- |\n| old |\n\n## More\n';
  expect(withRow(page, row)).toBe(
    '# Page\n\n| Date | Commit | Scenario |\n| --- | --- | --- |\n| old |\n| 2026-01-02 | abc1234 | toy | 1000 | 7 | a \\| b |\n\n## More\n',
  );
});
