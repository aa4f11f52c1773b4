import { describe, expect, it } from 'vitest';
import { parseLabelSelector } from './label-selector.ts';

const labels = { app: 'web', tier: 'front', size: '12' };

describe('a label selector', () => {
  it.each([
    ['', true],
    ['app=web', true],
    ['app==web,tier=front', true],
    ['app!=web', false],
    ['absent!=web', true],
    ['app in (web,api)', true],
    ['app notin (web)', false],
    ['absent notin (web)', true],
    ['app', true],
    ['!app', false],
    ['! absent', true],
    ['size>11', true],
    ['size<12', false],
    ['app>1', false],
    ['app=', false],
    ['app in ()', false],
  ])('"%s" is %s of a web front', (selector, isMet) => {
    expect(parseLabelSelector(selector)(labels)).toBe(isMet);
  });

  // Recorded from Kubernetes 1.36.
  it.each([
    ['a=b,,c', "found ',', expected: identifier after ','"],
    ['a in', "unable to parse requirement: found '' expected: '('"],
    ['a in (b', "unable to parse requirement: found '', expected: ',' or ')'"],
    ['a b', "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
    ['!', "unable to parse requirement: found '', expected: identifier"],
    ['/x=y', 'unable to parse requirement: <nil>: Invalid value: "/x": prefix part must be non-empty'],
    [
      'a>x',
      "unable to parse requirement: values[0]: Invalid value: \"x\": for 'Gt', 'Lt' operators, the value must be an integer",
    ],
    ['a=b=c', "found '=', expected: ',' or 'end of string'"],
    [',a', "found ',', expected: !, identifier, or 'end of string'"],
    ['a,', "found '', expected: identifier after ','"],
    ['!a=b', "found '=', expected: ',' or 'end of string'"],
  ])('"%s" is refused as the real server refuses it', (selector, message) => {
    expect(() => parseLabelSelector(selector)).toThrow(expect.objectContaining({ code: 400, message }));
  });
});
