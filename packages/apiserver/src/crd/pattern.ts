import { API_SERVER_LIMITS } from '@manta/base';
import { RE2JS, RE2JSSyntaxException } from 're2js';

/** Patterns may come from objects, by way of CEL: only so many are kept compiled. */
const KEPT = 1000;
const compiled = new Map<string, RE2JS | undefined>();
let instructions = 0;

/** Compiles a Go regular expression, once; undefined where it is none, or too large, which Go refuses too. Matching takes time in proportion to text and pattern. */
export function compilePattern(source: string): RE2JS | undefined {
  if (compiled.has(source)) return compiled.get(source);
  const pattern = expansionOf(source) > API_SERVER_LIMITS.patternExpansion ? undefined : tryCompile(source);
  instructions += pattern?.programSize() ?? 0;
  if (compiled.size >= KEPT || instructions > API_SERVER_LIMITS.patternInstructions) {
    compiled.clear();
    instructions = pattern?.programSize() ?? 0;
  }
  compiled.set(source, pattern);
  return pattern;
}

/** An upper bound for the length of a pattern whose repetitions with counts are written out. */
function expansionOf(source: string): number {
  let counts = 1;
  for (const [, least = '0', most = '0'] of source.matchAll(/\{(\d{1,4})(?:,(\d{0,4}))?\}/g))
    counts += Math.max(Number(least), Number(most));
  return counts * source.length;
}

function tryCompile(source: string): RE2JS | undefined {
  try {
    return RE2JS.compile(source);
  } catch (error) {
    if (error instanceof RE2JSSyntaxException) return undefined;
    throw error;
  }
}

/** How many steps a search takes at most: every instruction of the pattern for every character. */
export function patternSteps(source: string, text: string): number {
  return (compilePattern(source)?.programSize() ?? 0) * (text.length + 1);
}

/** Whether a text matches a pattern anywhere; throws where that is no pattern. */
export function testPattern(source: string, text: string): boolean {
  const pattern = compilePattern(source);
  if (pattern === undefined) throw new Error(`Invalid regular expression: ${source}`);
  return pattern.matcher(text).find();
}

/** The first texts that match a pattern, at most so many; none where that is no pattern. */
export function findPattern(source: string, text: string, most = Number.POSITIVE_INFINITY): readonly string[] {
  const matcher = compilePattern(source)?.matcher(text);
  const found: string[] = [];
  if (matcher === undefined) return found;
  while (found.length < most && matcher.find()) found.push(matcher.group() ?? '');
  return found;
}
