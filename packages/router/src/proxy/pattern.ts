import { PATTERN_LIMITS } from '@manta/base';
import { RE2Set } from 're2js';
import { literalPrefix } from './literal-prefix.ts';

/** A compiled regular expression. The time that a match takes grows with the length of the value, never faster. */
export interface Pattern {
  /** True if the whole value matches. False, with nothing left in the budget, if the budget does not suffice. */
  test(value: string, budget: PatternBudget): boolean;
}

/** Steps that matching one request may still take; negative once a pattern was left out. */
export interface PatternBudget {
  left: number;
}

export function patternBudget(): PatternBudget {
  return { left: PATTERN_LIMITS.steps };
}

/** Tables are rebuilt at every change of an endpoint; the patterns in them stay. */
const compiled = new Map<string, Pattern | string>();

/** Compiles a pattern in RE2's syntax; a text says why it is refused. */
export function compilePattern(text: string): Pattern | string {
  const known = compiled.get(text);
  if (known !== undefined) return known;
  const made = compile(text);
  if (compiled.size >= PATTERN_LIMITS.kept) compiled.clear();
  compiled.set(text, made);
  return made;
}

function compile(text: string): Pattern | string {
  const { length, instructions, expansion } = PATTERN_LIMITS;
  const refused = (why: string) => `the pattern ${quoted(text)} ${why}`;
  if (text.length > length) return refused(`is longer than ${length} characters`);
  if (expansionOf(text) > expansion) return refused('repeats too much: make the counts in braces smaller');
  const { prefix, rest } = literalPrefix(text);
  if (rest === '' || rest === '$') return { test: (value) => value === prefix };
  if (rest === '.*' || rest === '.*$')
    return { test: (value) => value.startsWith(prefix) && !value.includes('\n', prefix.length) };
  const set = new RE2Set(RE2Set.ANCHOR_BOTH, 0, PATTERN_LIMITS.stateBytes);
  try {
    set.add(text);
    set.compile();
  } catch (error) {
    const why = error instanceof Error ? error.message.replace('error parsing regexp: ', '') : String(error);
    return refused(`is not supported: ${why}; use RE2 syntax, which has no look-around and no back-references`);
  }
  const size = set.prog?.numInst() ?? 0;
  if (size > instructions) return refused(`compiles to ${size} instructions, at most ${instructions} are served`);
  return {
    test(value, budget) {
      if (!value.startsWith(prefix)) return false;
      budget.left -= size * value.length;
      return budget.left >= 0 && set.match(value).length > 0;
    },
  };
}

/** An upper bound for how much longer the pattern becomes when repetitions with counts are written out. */
function expansionOf(text: string): number {
  let counts = 1;
  for (const [, least = '0', most = '0'] of text.matchAll(/\{(\d{1,4})(?:,(\d{0,4}))?\}/g))
    counts += Math.max(Number(least), Number(most));
  return counts === 1 ? 0 : counts * text.length;
}

/** A hostile pattern does not fill a status. */
function quoted(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
}
