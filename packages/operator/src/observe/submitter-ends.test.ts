import { expect, it } from 'vitest';
import { SubmitterEnds } from './submitter-ends.ts';

it('tells when an end was first seen, whatever the submitter’s own clock says', () => {
  const ends = new SubmitterEnds();
  expect(ends.seenAt('a/b', undefined, 1000)).toBeUndefined();
  expect(ends.seenAt('a/b', 9_999_999, 2000)).toBe(1999);
  expect(ends.seenAt('a/b', 9_999_999, 3000)).toBe(1999);
});

it('takes the end of another submitter for another end', () => {
  const ends = new SubmitterEnds();
  ends.seenAt('a/b', 1, 2000);
  expect(ends.seenAt('a/b', 2, 3000)).toBe(2999);
  ends.forget('a/b');
  expect(ends.seenAt('a/b', 2, 4000)).toBe(3999);
});

it('does not wait for a clock that was set back', () => {
  const ends = new SubmitterEnds();
  ends.seenAt('a/b', 1, 9000);
  expect(ends.seenAt('a/b', 1, 2000)).toBe(1999);
});
