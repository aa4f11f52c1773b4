import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { completeLock, type Lock } from './complete.ts';

it('completeLock() adds packages for other platforms, and leaves a complete lock alone', () => {
  const lock: Lock = {
    packages: {
      '': { version: '1' },
      'node_modules/tool': {
        version: '2.0.0',
        dev: true,
        optionalDependencies: { '@tool/openharmony-arm64': '2.0.0', '@tool/linux-x64-musl': '2.0.0' },
      },
    },
  };
  const complete = completeLock(lock);
  expect(complete.packages['node_modules/@tool/openharmony-arm64']).toEqual({
    version: '2.0.0',
    os: ['openharmony'],
    cpu: ['arm64'],
    dev: true,
    optional: true,
  });
  expect(complete.packages['node_modules/@tool/linux-x64-musl']).toMatchObject({
    os: ['linux'],
    cpu: ['x64'],
    libc: ['musl'],
  });
  expect(completeLock(complete)).toBe(complete);
});

it('our own lock is complete, and names no registry', () => {
  const text = readFileSync(resolve(import.meta.dirname, '../../../package-lock.json'), 'utf8');
  const lock: Lock = JSON.parse(text);
  expect(completeLock(lock)).toBe(lock);
  expect(text).not.toMatch(/"resolved": "https?:/);
});
