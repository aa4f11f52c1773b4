import { stripVTControlCharacters } from 'node:util';

// oxlint-disable-next-line no-control-regex -- colours are escape sequences
const COLOR = /\u001B\[[0-9;]*m/y;
const RESET = '\u001B[0m';

/** How many terminal columns a text takes. Colours take none; wide East Asian characters and emoji take two. */
export function widthOf(text: string): number {
  let width = 0;
  for (const character of stripVTControlCharacters(text)) width += columnsOf(character);
  return width;
}

/** Cuts a line to a number of columns and marks the cut with `…`. Colours stay; one that the cut leaves open is reset. */
export function fitLine(line: string, columns: number): string {
  if (widthOf(line) <= columns) return line;
  let fitted = '';
  let width = 0;
  let hasColor = false;
  for (let at = 0; at < line.length; ) {
    COLOR.lastIndex = at;
    const color = COLOR.exec(line)?.[0];
    if (color !== undefined) {
      fitted += color;
      hasColor = true;
      at += color.length;
      continue;
    }
    const character = String.fromCodePoint(line.codePointAt(at) ?? 0);
    width += columnsOf(character);
    if (width > columns - 1) break;
    fitted += character;
    at += character.length;
  }
  return `${fitted}…${hasColor ? RESET : ''}`;
}

const WIDE =
  /[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6\u{1F300}-\u{1FAFF}\u{20000}-\u{3FFFD}]/u;
const MARK = /\p{M}|\p{Cf}/u;

function columnsOf(character: string): number {
  if (character < '\u0300') return 1;
  if (MARK.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}
