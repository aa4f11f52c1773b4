import { describe, expect, it } from 'vitest';
import { requestTarget } from './request-target.ts';

describe('requestTarget()', () => {
  it.each([
    ['/api/v1/pods?limit=1', '/api/v1/pods', 'limit=1'],
    ['https://engine:1/api?a=b#c', '/api', 'a=b'],
    ['https://engine?x', '/', 'x='],
    ['//api//v1', '//api//v1', ''],
    ['/a/../b%zz', '/a/../b%zz', ''],
    ['*', '*', ''],
    ['', '/', ''],
    ['/a?b?c', '/a', 'b%3Fc='],
  ])('splits %s', (url, pathname, query) => {
    const target = requestTarget(url);
    expect([target.pathname, target.query.toString()]).toEqual([pathname, query]);
  });
});
