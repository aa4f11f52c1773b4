const ESC = '\u001B[';

/** What enters and leaves the alternate screen. The terminal restores its former content afterwards. */
export const ENTER = `${ESC}?1049h${ESC}?25l${ESC}2J`;
export const LEAVE = `${ESC}?25h${ESC}?1049l`;

/**
 * The terminal sequence that turns one frame into the next: only lines that differ are written. Lines must fit the terminal's width, and
 * frames its height. An undefined previous frame clears the screen first.
 */
export function frameDiff(previous: readonly string[] | undefined, next: readonly string[]): string {
  const written = next.flatMap((line, row) => (previous?.[row] === line ? [] : [`${lineAt(row)}${line}${ESC}K`]));
  const isShorter = previous !== undefined && previous.length > next.length;
  const clear = previous === undefined ? `${ESC}2J` : '';
  const clearBelow = isShorter ? `${lineAt(next.length)}${ESC}J` : '';
  return clear + written.join('') + clearBelow;
}

/** Rows are counted from 1 by terminals. */
function lineAt(row: number): string {
  return `${ESC}${row + 1};1H`;
}
