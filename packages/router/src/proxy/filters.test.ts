import { describe, expect, it } from 'vitest';
import { answerOf, filterRequest, filterResponse } from './filters.ts';
import type { Filter, PathChange } from './route-table.ts';

const under = { path: { kind: 'prefix', value: '/v1' } } as const;
const call = { target: '/v1/chat?x=1', host: 'example.com:8080', isSecure: false };

describe('a rewrite', () => {
  it.each([
    ['of the whole path', { kind: 'full', value: '/new' }, '/new?x=1'],
    ['of the prefix', { kind: 'prefix', value: '/v2' }, '/v2/chat?x=1'],
    ['of the prefix to the root', { kind: 'prefix', value: '/' }, '/chat?x=1'],
  ] satisfies [string, PathChange, string][])('%s keeps the rest', (_, path, expected) => {
    expect(filterRequest([{ kind: 'rewrite', path }], call, under, [])).toEqual({ target: expected, host: call.host });
  });

  it('that leaves nothing leaves the root', () => {
    const path = { kind: 'prefix', value: '/' } as const;
    expect(filterRequest([{ kind: 'rewrite', path }], { ...call, target: '/v1' }, under, []).target).toBe('/');
  });

  it('changes the host and headers where it is told to, and the answer on its way back', () => {
    const change = { set: [['x-a', '1']], add: [], remove: ['x-b'] } as const;
    const headers = ['x-b', '2'];
    const filters: readonly Filter[] = [
      { kind: 'request-headers', change },
      { kind: 'rewrite', hostname: 'inside' },
      { kind: 'response-headers', change: { set: [], add: [['x-c', '3']], remove: [] } },
    ];
    expect(filterRequest(filters, call, under, headers).host).toBe('inside');
    expect(headers).toEqual(['x-a', '1']);
    const answer: string[] = [];
    filterResponse(filters, answer);
    expect(answer).toEqual(['x-c', '3']);
  });
});

it.each([
  ['another scheme, and its port', { scheme: 'https' }, 'https://example.com/v1/chat?x=1'],
  ['another host, by the port it was asked at', { hostname: 'new.com' }, 'http://new.com:8080/v1/chat?x=1'],
  ['another port', { port: 81 }, 'http://example.com:81/v1/chat?x=1'],
  ['another path', { path: { kind: 'prefix', value: '/v2' } }, 'http://example.com:8080/v2/chat?x=1'],
] satisfies [string, Partial<Extract<Filter, { kind: 'redirect' }>>, string][])(
  'a redirect names %s',
  (_, change, location) => {
    expect(answerOf([{ kind: 'redirect', status: 301, ...change }], call, under)).toMatchObject({
      status: 301,
      location,
    });
  },
);
