import { describe, expect, it } from 'vitest';
import { sentence } from './sentence.ts';

describe('sentence()', () => {
  it.each([
    ['no node has room', 'No node has room.'],
    ['RayJob x failed.', 'RayJob x failed.'],
    ['my-pod is slow', 'my-pod is slow.'],
    ['', ''],
  ])('writes %j as %j', (given, expected) => expect(sentence(given)).toBe(expected));
});
