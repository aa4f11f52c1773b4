import { describe, expect, it } from 'vitest';
import { cut, messageOf, textOf } from './json-fields.ts';

describe('texts of a head', () => {
  it('have no half of a surrogate pair, which the API server would replace in a status', () => {
    const answer = { message: 'broken \ud83d here' };
    expect(textOf(answer, 'message')).toBe('broken \ufffd here');
    expect(messageOf(answer, 'message')).toBe('broken \ufffd here');
  });

  it('are not cut in the middle of a surrogate pair', () => {
    expect(cut('ab😀cd', 3)).toBe('ab\ufffd…');
    expect(cut('ab😀', 4)).toBe('ab😀');
  });
});
