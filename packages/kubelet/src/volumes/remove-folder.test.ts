import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { removeFolder } from './remove-folder.ts';

const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;
let base: string;
let folder: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'manta-remove-'));
  folder = join(base, 'pod');
  for (const each of [join(folder, 'cache', 'deep'), join(folder, 'logs')]) mkdirSync(each, { recursive: true });
  writeFileSync(join(folder, 'cache', 'deep', 'file'), 'x');
  if (isRoot)
    for (const each of ['', 'pod', 'pod/cache', 'pod/cache/deep', 'pod/logs'])
      chownSync(join(base, each), NOBODY, NOBODY);
});
afterEach(() => {
  // `rm` of a user who is not root needs the right to look into what it removes.
  for (const each of ['', 'pod', 'pod/cache', 'pod/cache/deep']) {
    if (existsSync(join(base, each))) chmodSync(join(base, each), 0o700);
  }
  rmSync(base, { recursive: true, force: true });
});

/** Root may remove everything; what others may not is only seen as one of them. */
function asUser(act: () => void): void {
  if (isRoot) process.seteuid?.(NOBODY);
  try {
    act();
  } finally {
    if (isRoot) process.seteuid?.(0);
  }
}

describe('the folder of a pod', () => {
  it('goes with all that is in it', () => {
    asUser(() => removeFolder(folder));
    expect([existsSync(folder), existsSync(base)]).toEqual([false, true]);
  });

  it('goes also when its programs made folders in it read-only, as package caches are', () => {
    for (const each of ['cache/deep', 'cache', '']) chmodSync(join(folder, each), 0o500);
    asUser(() => removeFolder(folder));
    expect(existsSync(folder)).toBe(false);
  });

  it('is left without an error when it cannot be removed', () => {
    chmodSync(base, 0o500);
    expect(() => asUser(() => removeFolder(folder))).not.toThrow();
    expect(existsSync(folder)).toBe(true);
  });

  it('need not be there', () => {
    expect(() => removeFolder(join(base, 'none'))).not.toThrow();
  });
});
