import { describe, expect, it } from 'vitest';
import { objectStoreBytes, sharedMemoryFor } from './ray-memory.ts';

const GIB = 1024 ** 3;
const MIB = 1024 ** 2;
const withLimit = (memory: string) => ({ name: 'ray', resources: { limits: { memory } } });

describe("Ray's object store", () => {
  it.each([
    ['takes three tenths of the limit', '2Gi', Math.floor(0.3 * 2 * GIB)],
    ['is never smaller than Ray allows', '100Mi', 75 * MIB],
    ['is small where the limit is no quantity', 'plenty', 400 * MIB],
  ])('%s', (_, memory, bytes) => {
    expect(objectStoreBytes(withLimit(memory))).toBe(bytes);
  });

  it('is small where there is no limit, since the whole machine is not one pod’s', () => {
    expect(objectStoreBytes({ name: 'ray' })).toBe(400 * MIB);
  });

  it('has room in shared memory', () => {
    expect(sharedMemoryFor(400 * MIB)).toBe(500 * MIB);
    expect(sharedMemoryFor(objectStoreBytes(withLimit('2Gi')))).toBeGreaterThan(0.3 * 2 * GIB);
  });
});
