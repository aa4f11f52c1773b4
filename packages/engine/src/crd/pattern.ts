import { ownValue } from '@manta/base';
const compiled = new Map<string, RegExp | undefined>();

/** Compiles a Go regular expression, once; undefined where it is none. */
export function compilePattern(source: string): RegExp | undefined {
  if (!compiled.has(source)) compiled.set(source, translate(source));
  return compiled.get(source);
}

/** The parts of Go's syntax that JavaScript writes differently: leading flags, `\A`, `\z`, `\pL`, `[[:alpha:]]`, named groups. */
function translate(source: string): RegExp | undefined {
  const [, letters = '', rest = source] = /^\(\?([ims]+)\)(.*)$/s.exec(source) ?? [];
  const body = rest
    .replaceAll('\\A', '^')
    .replaceAll('\\z', '$')
    .replaceAll('(?P<', '(?<')
    .replaceAll(/\[:(\w+):\]/g, (whole, name: string) => ownValue(classes, name) ?? whole);
  for (const flags of [`${letters}u`, letters]) {
    try {
      return new RegExp(body, flags);
    } catch {
      // The stricter form refuses escapes that Go allows: try the looser one.
    }
  }
  return undefined;
}

const classes: Readonly<Record<string, string>> = {
  alnum: 'A-Za-z0-9',
  alpha: 'A-Za-z',
  digit: '0-9',
  lower: 'a-z',
  space: '\\s',
  upper: 'A-Z',
  word: '\\w',
  xdigit: '0-9A-Fa-f',
};
