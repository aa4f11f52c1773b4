import { describe, expect, it } from 'vitest';
import { tableLines } from './table.ts';

describe('tableLines()', () => {
  it('aligns columns with three spaces between them and leaves the last one unpadded', () => {
    const columns = ['Name', 'Age'];
    expect(
      tableLines({
        columns,
        rows: [
          ['a-long-name', '5m'],
          ['b', '10s'],
        ],
      }),
    ).toEqual(['NAME          AGE', 'a-long-name   5m', 'b             10s']);
  });

  it('prints the header when there are no rows', () => {
    expect(tableLines({ columns: ['A', 'B'], rows: [] })).toEqual(['A     B']);
  });
});
