import { describe, expect, it } from 'vitest';
import { Absences } from './absences.ts';

describe('Absences', () => {
  it('tell since when something has been missed, each by itself', () => {
    const absences = new Absences();
    expect(absences.since('ml/a', true, 1000)).toBe(1000);
    expect(absences.since('ml/a', true, 5000)).toBe(1000);
    expect(absences.since('ml/b', true, 6000)).toBe(6000);
  });

  it('begin anew when it was there in between, or is forgotten', () => {
    const absences = new Absences();
    absences.since('ml/a', true, 1000);
    expect(absences.since('ml/a', false, 2000)).toBeUndefined();
    expect(absences.since('ml/a', true, 3000)).toBe(3000);
    absences.forget('ml/a');
    expect(absences.since('ml/a', true, 4000)).toBe(4000);
  });

  it('do not grow when the clock is set forward', () => {
    const absences = new Absences();
    absences.since('ml/a', true, 1000, 50);
    expect(absences.since('ml/a', true, 601_000, 60)).toBe(600_990);
  });

  it('begin anew when the clock is set back', () => {
    const absences = new Absences();
    absences.since('ml/a', true, 9000);
    expect(absences.since('ml/a', true, 500)).toBe(500);
    expect(absences.since('ml/a', true, 9000)).toBe(500);
  });
});
