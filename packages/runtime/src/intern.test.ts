import { describe, expect, it } from 'vitest';
import { Interner } from './intern.ts';

describe('Interner', () => {
  it('gives the identical object for equal content', () => {
    const intern = new Interner();
    const first = intern.value({ app: 'ray', group: 'small' });
    expect(intern.value({ app: 'ray', group: 'small' })).toBe(first);
    expect(intern.value({ app: 'ray', group: 'large' })).not.toBe(first);
  });

  it('keeps a string apart from a value that is written like it', () => {
    const intern = new Interner();
    const value = intern.value({ a: 1 });
    expect(intern.string('{"a":1}')).toBe('{"a":1}');
    expect(intern.value({ a: 1 })).toBe(value);
  });

  it('passes absence through', () => {
    const intern = new Interner();
    expect(intern.string(undefined)).toBeUndefined();
    expect(intern.value(undefined)).toBeUndefined();
  });

  it('forgets what was not asked for during a generation, and keeps what was', () => {
    const intern = new Interner(10);
    const used = intern.value({ used: true });
    const unused = intern.value({ unused: true });
    for (let n = 0; n < 50; n += 1) {
      intern.string(`other-${n}`);
      expect(intern.value({ used: true })).toBe(used);
    }
    expect(intern.value({ unused: true })).not.toBe(unused);
  });
});
