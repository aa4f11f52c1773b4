import { describe, expect, it } from 'vitest';
import { expand } from './expand.ts';

describe('a variable in a command', () => {
  it.each([
    ['is replaced by its value', 'go to $(HOST):$(PORT)', 'go to head:6379'],
    ['stays as it is when nobody knows it', '$(NOBODY)', '$(NOBODY)'],
    ['is left to the shell without brackets', '$HOST ${HOST}', '$HOST ${HOST}'],
    ['is not replaced behind a doubled dollar sign', '$$(HOST) costs $$5', '$(HOST) costs $5'],
    ['may be empty', '[$(EMPTY)]', '[]'],
    ['is not searched in values', '$(NESTED)', '$(HOST)'],
    ['is no property of every object', '$(constructor)', '$(constructor)'],
  ])('%s', (_, text, expected) => {
    expect(expand(text, { HOST: 'head', PORT: '6379', EMPTY: '', NESTED: '$(HOST)' })).toBe(expected);
  });
});
