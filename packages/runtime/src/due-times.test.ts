import fc from 'fast-check';
import { expect, it } from 'vitest';
import { DueTimes } from './due-times.ts';

it('gives keys in the order of their earliest times, whatever was set and taken out', () => {
  const step = fc.record({
    key: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'),
    at: fc.integer({ min: 0, max: 50 }),
    isRemoved: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const times = new DueTimes();
      const model = new Map<string, number>();
      for (const { key, at, isRemoved } of steps) {
        if (isRemoved && at % 3 === 0) {
          times.delete(key);
          model.delete(key);
        } else {
          times.setEarlier(key, at);
          model.set(key, Math.min(at, model.get(key) ?? at));
        }
        expect(times.earliest()).toBe(model.size === 0 ? undefined : Math.min(...model.values()));
      }
      const taken: number[] = [];
      for (let key = times.takeDue(25); key !== undefined; key = times.takeDue(25)) {
        taken.push(model.get(key) ?? -1);
        model.delete(key);
      }
      expect(taken).toEqual(taken.toSorted((a, b) => a - b));
      expect([...model.values()].every((at) => at > 25)).toBe(true);
      expect(times.size).toBe(model.size);
    }),
  );
});
