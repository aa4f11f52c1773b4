import { describe, expect, it } from 'vitest';
import { compareMatches, compileMatch } from './match.ts';
import { patternBudget } from './pattern.ts';
import type { RequestMatch } from './route-table.ts';

const prefix = (value: string): RequestMatch => ({ path: { kind: 'prefix', value } });
const exact = (value: string): RequestMatch => ({ path: { kind: 'exact', value } });

function fits(match: RequestMatch, target: string, method = 'GET', headers: Record<string, string> = {}): boolean {
  return compileMatch(match)({ method, target, isSecure: false, header: (name) => headers[name] }, patternBudget());
}

describe('a match', () => {
  it.each([
    ['everything is under /', prefix('/'), '/any/thing', true],
    ['a prefix takes itself', prefix('/v1'), '/v1', true],
    ['a prefix takes what lies under it', prefix('/v1'), '/v1/x', true],
    ['a prefix takes itself with a query', prefix('/v1'), '/v1?a=b', true],
    ['a prefix ends at a slash', prefix('/v1'), '/v10', false],
    ['a trailing slash makes no difference', prefix('/v1/'), '/v1', true],
    ['an exact path takes itself', exact('/v1'), '/v1?x', true],
    ['an exact path takes nothing else', exact('/v1'), '/v1/', false],
    ['a pattern fits the whole path', { path: { kind: 'regex', value: '/v[0-9]+' } } as const, '/v12', true],
    ['a pattern fits no part', { path: { kind: 'regex', value: '/v[0-9]+' } } as const, '/v12/x', false],
    ['a query parameter', { query: [{ name: 'm', kind: 'exact', value: 'a b' }] } as const, '/?m=a%20b', true],
    ['a missing query parameter', { query: [{ name: 'm', kind: 'exact', value: 'a' }] } as const, '/', false],
  ])('%s', (_, match, target, expected) => {
    expect(fits(match, target)).toBe(expected);
  });

  it('asks for the method and for headers, whatever their case', () => {
    const match: RequestMatch = { method: 'POST', headers: [{ name: 'X-Model', kind: 'exact', value: 'big' }] };
    expect(fits(match, '/', 'POST', { 'x-model': 'big' })).toBe(true);
    expect(fits(match, '/', 'GET', { 'x-model': 'big' })).toBe(false);
    expect(fits(match, '/', 'POST', { 'x-model': 'small' })).toBe(false);
    expect(fits(match, '/', 'POST')).toBe(false);
  });
});

it('exact paths go first, then long prefixes, methods, headers and query parameters', () => {
  const header = { name: 'a', kind: 'exact', value: 'b' } as const;
  const ordered: readonly RequestMatch[] = [
    exact('/a'),
    prefix('/a/b'),
    { ...prefix('/a'), method: 'GET' },
    { ...prefix('/a'), headers: [header, { ...header, name: 'c' }] },
    { ...prefix('/a'), headers: [header] },
    { ...prefix('/a'), query: [header] },
    prefix('/a'),
    {},
  ];
  expect(ordered.toReversed().toSorted(compareMatches)).toEqual(ordered);
});
