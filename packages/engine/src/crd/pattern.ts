import { RE2JS, RE2JSSyntaxException } from 're2js';

/** Patterns may come from objects, by way of CEL: only so many are kept compiled. */
const KEPT = 1000;
const compiled = new Map<string, RE2JS | undefined>();

/** Compiles a Go regular expression, once; undefined where it is none. Matching takes time in proportion to text and pattern. */
export function compilePattern(source: string): RE2JS | undefined {
  if (compiled.has(source)) return compiled.get(source);
  if (compiled.size >= KEPT) compiled.clear();
  const pattern = tryCompile(source);
  compiled.set(source, pattern);
  return pattern;
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
