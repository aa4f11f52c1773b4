import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { writeInPlace } from './write-in-place.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'manta-in-place-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('a file that is written in place stays the same file, and is never empty for those who read it', async () => {
  const path = join(folder, 'hosts');
  writeFileSync(path, 'first\n');
  const { ino } = statSync(path);
  let emptiest = Number.POSITIVE_INFINITY;
  for (let n = 1; n <= 100; n += 1) {
    const writing = writeInPlace(path, 'line\n'.repeat(1 + (n % 7)));
    for (let look = 0; look < 20; look += 1) {
      emptiest = Math.min(emptiest, readFileSync(path).length);
      await setImmediate();
    }
    await writing;
    expect(readFileSync(path, 'utf8')).toBe('line\n'.repeat(1 + (n % 7)));
  }
  expect(statSync(path).ino).toBe(ino);
  expect(emptiest).toBeGreaterThan(0);
});
