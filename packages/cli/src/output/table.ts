/** Rows under upper-case headers. Cells of one column start at the same place. */
export interface Table {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

const PADDING = 3;
const MIN_WIDTH = 6;

/** The lines of a table as kubectl prints it: three spaces between columns, a header even when there are no rows. */
export function tableLines({ columns, rows }: Table): readonly string[] {
  const all = [columns.map((column) => column.toUpperCase()), ...rows];
  const widths = columns.map((_, index) =>
    Math.max(MIN_WIDTH, ...all.map((row) => (row[index] ?? '').length + PADDING)),
  );
  return all.map((row) =>
    row.map((cell, index) => (index === row.length - 1 ? cell : pad(cell, widths[index] ?? 0))).join(''),
  );
}

function pad(cell: string, width: number): string {
  return cell + ' '.repeat(Math.max(0, width - cell.length));
}
