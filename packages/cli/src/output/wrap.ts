import { widthOf } from '../live/fit-line.ts';

/** Breaks a text at spaces so that no line is wider than `columns`; later lines are indented. A word that is too long stays whole. */
export function wrap(text: string, columns: number, indent = ''): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const next = line === '' ? word : `${line} ${word}`;
    const room = lines.length === 0 ? columns : columns - indent.length;
    if (line !== '' && widthOf(next) > room) {
      lines.push(line);
      line = word;
    } else line = next;
  }
  lines.push(line);
  return lines.map((each, index) => (index === 0 ? each : `${indent}${each}`));
}
