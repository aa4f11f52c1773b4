/** A piece of a log line and the classes of its colours. */
export interface Span {
  readonly text: string;
  readonly className: string;
}

// oxlint-disable-next-line no-control-regex -- escape sequences begin with a control character
const ESCAPE = /\u001b\[([0-9;]*)m|\u001b\[[0-9;?]*[A-Za-z]|\u001b\][^\u0007]*\u0007/g;

/** Splits a line at its ANSI colour codes. Other escape sequences are dropped; text is never interpreted as markup. */
export function ansiSpans(line: string): readonly Span[] {
  const spans: Span[] = [];
  let codes: readonly string[] = [];
  let from = 0;
  const push = (text: string) => {
    if (text !== '') spans.push({ text, className: codes.map((code) => `ansi-${code}`).join(' ') });
  };
  for (const match of line.matchAll(ESCAPE)) {
    push(line.slice(from, match.index));
    from = match.index + match[0].length;
    if (match[1] !== undefined) codes = nextCodes(codes, match[1].split(';'));
  }
  push(line.slice(from));
  return spans;
}

function nextCodes(before: readonly string[], given: readonly string[]): readonly string[] {
  const last = given.lastIndexOf('0');
  const kept = last >= 0 || given[0] === '' ? [] : before;
  return [...kept, ...given.slice(last + 1).filter((code) => /^(1|3[1-7]|9[0-7])$/.test(code))];
}
