/** A piece of a log line and the classes of its colours. */
export interface Span {
  readonly text: string;
  readonly className: string;
}

// oxlint-disable-next-line no-control-regex -- escape sequences begin with a control character
const ESCAPE = /\u001b\[([0-9;]*)m|\u001b\[[0-9;?]*[A-Za-z]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)/g;

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

/** Bold and one colour at a time; 0 ends both, 22 bold, 39 the colour. */
function nextCodes(before: readonly string[], given: readonly string[]): readonly string[] {
  let codes = before;
  for (const code of given) {
    const isColour = /^[39][0-7]$/.test(code);
    if (code === '' || code === '0') codes = [];
    else if (code === '22') codes = codes.filter((each) => each !== '1');
    else if (code === '39' || isColour) codes = codes.filter((each) => each === '1');
    if (code === '1' || isColour) codes = [...codes.filter((each) => each !== code), code];
  }
  return codes;
}
