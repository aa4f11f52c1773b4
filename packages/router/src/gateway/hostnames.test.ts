import { expect, it } from 'vitest';
import { commonHostnames } from './hostnames.ts';

it.each([
  ['neither says anything', undefined, [], [undefined]],
  ['only the listener does', 'a.com', [], ['a.com']],
  ['only the route does', undefined, ['A.com', 'b.com'], ['a.com', 'b.com']],
  ['both say the same', 'a.com', ['a.com'], ['a.com']],
  ['the listener has a wildcard', '*.a.com', ['x.a.com', 'a.com', 'y.b.com'], ['x.a.com']],
  ['the route has a wildcard', 'x.a.com', ['*.a.com'], ['x.a.com']],
  ['both have wildcards', '*.a.com', ['*.b.a.com'], ['*.b.a.com']],
  ['they have nothing in common', 'a.com', ['b.com'], []],
] as const)('common host names where %s', (_, listener, route, expected) => {
  expect(commonHostnames(listener, route)).toEqual(expected);
});
