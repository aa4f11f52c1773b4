import { compilePattern, type Pattern, type PatternBudget } from './pattern.ts';
import type { RequestMatch, ValueMatch } from './route-table.ts';

/** The parts of a request that routes match. */
export interface MatchableRequest {
  readonly method: string;
  /** The request target as received, with the query. */
  readonly target: string;
  /** Whether it was received over TLS. */
  readonly isSecure: boolean;
  /** The value of a header, several joined by a comma; undefined if absent. */
  header(name: string): string | undefined;
}

/** Whether a request matches. Everything that does not depend on the request is computed once, when the route table changes. */
export type Matcher = (request: MatchableRequest, budget: PatternBudget) => boolean;

/** Compiles an HTTPRoute match. */
export function compileMatch({ path, method, headers = [], query = [] }: RequestMatch): Matcher {
  const tests: Matcher[] = [];
  if (path !== undefined && !(path.kind === 'prefix' && path.value === '/')) tests.push(pathTest(path));
  if (method !== undefined) tests.push((request) => request.method === method);
  for (const match of uniqueNames(headers)) {
    const fits = valueTest(match);
    tests.push((request, budget) => fits(request.header(match.name.toLowerCase()), budget));
  }
  for (const match of uniqueNames(query)) {
    const fits = valueTest(match);
    tests.push(({ target }, budget) => fits(queryOf(target).get(match.name) ?? undefined, budget));
  }
  return (request, budget) => tests.every((test) => test(request, budget));
}

/**
 * Which of two matches goes first, as the Gateway API orders them: exact paths, then longer prefixes, then a method, then more
 * headers, then more query parameters. Negative: `a` does.
 */
export function compareMatches(a: RequestMatch, b: RequestMatch): number {
  return (
    pathRank(b) - pathRank(a) ||
    (b.path?.value.length ?? 0) - (a.path?.value.length ?? 0) ||
    Number(b.method !== undefined) - Number(a.method !== undefined) ||
    (b.headers?.length ?? 0) - (a.headers?.length ?? 0) ||
    (b.query?.length ?? 0) - (a.query?.length ?? 0)
  );
}

/** The path of a request target, without the query. */
export function pathOf(target: string): string {
  const end = target.indexOf('?');
  return end < 0 ? target : target.slice(0, end);
}

/** Whether `path` is `prefix` or lies under it: prefixes end at a slash, so `/v1` takes `/v1/x` but not `/v10`. */
export function isUnder(path: string, prefix: string): boolean {
  const bare = prefix.endsWith('/') ? prefix.slice(0, -1) : prefix;
  return path.startsWith(bare) && (path.length === bare.length || path[bare.length] === '/');
}

function pathRank({ path }: RequestMatch): number {
  if (path === undefined) return 0;
  return { exact: 3, regex: 2, prefix: 1 }[path.kind];
}

function pathTest({ kind, value }: NonNullable<RequestMatch['path']>): Matcher {
  if (kind === 'exact') return ({ target }) => pathOf(target) === value;
  if (kind === 'prefix') return ({ target }) => isUnder(pathOf(target), value);
  const pattern = patternOf(value);
  return ({ target }, budget) => pattern.test(pathOf(target), budget);
}

function valueTest({ kind, value }: ValueMatch): (found: string | undefined, budget: PatternBudget) => boolean {
  if (kind === 'exact') return (found) => found === value;
  const pattern = patternOf(value);
  return (found, budget) => found !== undefined && pattern.test(found, budget);
}

/** Throws for a refused pattern: the builder of the table has checked all of them. */
function patternOf(text: string): Pattern {
  const pattern = compilePattern(text);
  if (typeof pattern === 'string') throw new Error(pattern);
  return pattern;
}

/** Of several entries for one name the first counts. */
function uniqueNames(matches: readonly ValueMatch[]): readonly ValueMatch[] {
  const seen = new Set<string>();
  return matches.filter(({ name }) => !seen.has(name) && seen.add(name));
}

function queryOf(target: string): URLSearchParams {
  const start = target.indexOf('?');
  return new URLSearchParams(start < 0 ? '' : target.slice(start + 1));
}
