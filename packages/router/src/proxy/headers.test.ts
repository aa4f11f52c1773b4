import { describe, expect, it } from 'vitest';
import { changeHeaders, endToEnd, fromFields, joinCookies, plainAddress, toFields } from './headers.ts';

describe('headers on their way', () => {
  it('lose what speaks to this hop only, and what connection names', () => {
    const headers = ['Host', 'a', 'Connection', 'close, X-Secret', 'x-secret', '1', 'TE', 'trailers', 'Cookie', 'c'];
    expect(endToEnd(headers)).toEqual(['Host', 'a', 'Cookie', 'c']);
  });

  it('keep their order, case and repetitions', () => {
    const headers = ['Set-Cookie', 'a=1', 'X-B', '2', 'Set-Cookie', 'c=3'];
    expect(endToEnd(headers)).toEqual(headers);
    expect(fromFields(toFields(headers))).toEqual(['set-cookie', 'a=1', 'set-cookie', 'c=3', 'x-b', '2']);
  });

  it('have one cookie header, however many there were', () => {
    expect(joinCookies(['cookie', 'a=1', 'x', 'y', 'cookie', 'b=2'])).toEqual(['x', 'y', 'cookie', 'a=1; b=2']);
    expect(joinCookies(['cookie', 'a=1'])).toEqual(['cookie', 'a=1']);
  });

  it('name IPv4 clients plainly', () => {
    expect(['::ffff:10.0.0.1', '::1', undefined].map(plainAddress)).toEqual(['10.0.0.1', '::1', '']);
  });

  it('are removed, replaced and added as a filter asks', () => {
    const headers = ['A', '1', 'B', '2', 'a', '3'];
    changeHeaders(headers, { remove: ['b'], set: [['A', '9']], add: [['C', '4']] });
    expect(headers).toEqual(['A', '9', 'C', '4']);
  });
});
