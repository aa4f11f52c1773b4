import { describe, expect, test } from 'vitest';
import { RayCallError, type RayCallErrorDetails } from '../call-error.ts';
import { answerSince, fail, hear, isNews } from './knowledge.ts';

const error = (details: Partial<RayCallErrorDetails> = {}) =>
  new RayCallError('no', { failure: 'timeout', method: 'GET', url: 'u', didNothing: false, ...details });

describe('what is known', () => {
  test('counts only when it was sent after the moment that matters', () => {
    expect(answerSince(hear('x', 10), 9)).toEqual({ kind: 'known', value: 'x', at: 10 });
    expect(answerSince(hear('x', 10), 10)).toEqual({ kind: 'unknown', last: { value: 'x', at: 10 } });
  });

  test('keeps the last good answer and the beginning of a row of failures', () => {
    const twice = fail(fail(hear('x', 10), error(), 20), error(), 30);
    expect(answerSince(twice, 0)).toMatchObject({ kind: 'failing', since: 20, at: 30, last: { value: 'x', at: 10 } });
    expect(answerSince(twice, 30)).toMatchObject({ kind: 'unknown', last: { value: 'x', at: 10 } });
  });
});

describe('news', () => {
  const cases = {
    'the first answer, even an empty one': [{}, hear(undefined, 1), true],
    'another value': [hear({ a: 1 }, 1), hear({ a: 2 }, 2), true],
    'a failure after an answer': [hear(1, 1), fail(hear(1, 1), error(), 2), true],
    'an answer after a failure, even the same': [fail(hear(1, 1), error(), 2), hear(1, 3), true],
    'another kind of failure': [fail({}, error(), 1), fail({}, error({ failure: 'status', status: 500 }), 2), true],
    'another status': [fail({}, error({ status: 500 }), 1), fail({}, error({ status: 401 }), 2), true],
    'not: the same value again': [hear({ a: [1] }, 1), hear({ a: [1] }, 2), false],
    'not: the same failure again': [fail({}, error(), 1), fail({}, error(), 2), false],
  } as const;
  test.each(Object.entries(cases))('is %s', (_, [before, after, expected]) => {
    expect(isNews(before, after)).toBe(expected);
  });
});
