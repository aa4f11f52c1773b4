/** An error that a program prints at its end: `ValueError: no such column`, `myapp.errors.Refused: no`. */
const ERROR = /^[\w.]*(?:Error|Exception|Exit|Interrupt|Refused|Warning|Failure)\b: .*$/;
const MAX_LENGTH = 240;

/** The line of an output that says what went wrong: the last error of a traceback, else the last line that is not empty. */
export function lastWords(text: string): string {
  const lines = text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
  return shortened(lines.findLast((line) => ERROR.test(line)) ?? lines.at(-1) ?? '', MAX_LENGTH);
}

/** The text on one line and at most this long. Half a surrogate pair at the cut is replaced like the API server does. */
export function shortened(text: string, limit: number): string {
  const line = text.replaceAll('\n', ' ');
  return line.length > limit ? `${line.slice(0, limit - 1).toWellFormed()}…` : line;
}
