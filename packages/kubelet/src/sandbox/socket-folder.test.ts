import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { newSocketFolder } from './socket-folder.ts';

describe('the folder for sockets', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'socket-folder-'));
  afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

  it('is new each time, and the one before it is gone', () => {
    const first = newSocketFolder(dataDir);
    const second = newSocketFolder(dataDir);
    expect([existsSync(first), existsSync(second)]).toEqual([false, true]);
    rmSync(second, { recursive: true });
  });

  it('leaves a folder that it never made alone', () => {
    const precious = join(dataDir, 'manta-precious');
    writeFileSync(precious, '');
    writeFileSync(join(dataDir, 'sockets'), precious);
    rmSync(newSocketFolder(dataDir), { recursive: true });
    expect(existsSync(precious)).toBe(true);
  });
});
