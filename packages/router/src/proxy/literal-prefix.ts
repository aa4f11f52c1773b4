/** Characters that mean themselves in RE2's syntax. */
const PLAIN = /[A-Za-z0-9/_\-~%!@ ,;:=&'"<>#`]/;
const ESCAPED = /[/\-.\\+*?()|[\]{}^$~%!@ ,;:=&]/;

/**
 * The text with which everything that matches a pattern begins, and what is left of the pattern after it. Most requests are told apart
 * by it, without running a pattern.
 */
export function literalPrefix(pattern: string): { readonly prefix: string; readonly rest: string } {
  if (hasTopLevelChoice(pattern)) return { prefix: '', rest: pattern };
  let prefix = '';
  // The whole value has to match in any case.
  let at = Number(pattern.startsWith('^'));
  while (at < pattern.length) {
    const isEscape = pattern[at] === '\\';
    const char = pattern[at + Number(isEscape)] ?? '';
    if (!(isEscape ? ESCAPED : PLAIN).test(char)) break;
    const next = at + 1 + Number(isEscape);
    // What follows repeats this character, so that it may be missing.
    if (/[*+?{]/.test(pattern[next] ?? '')) break;
    prefix += char;
    at = next;
  }
  return { prefix, rest: pattern.slice(at) };
}

/** `a|b` begins with either. In doubt true: then every value is tried. */
function hasTopLevelChoice(pattern: string): boolean {
  let depth = 0;
  for (let at = 0; at < pattern.length; at += 1) {
    const char = pattern[at];
    if (char === '\\') at += 1;
    // Brackets inside of a class are no groups, and telling classes apart is not worth it.
    else if (char === '[') return pattern.includes('|');
    else if (char === '(') depth += 1;
    else if (char === ')') depth -= 1;
    else if (char === '|' && depth <= 0) return true;
  }
  return false;
}
