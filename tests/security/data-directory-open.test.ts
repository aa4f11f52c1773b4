import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDataDirectory } from '../../packages/local/src/data-directory.ts';

describe('a data directory that exists already', () => {
  let folder: string;
  const modeOf = (name: string) => (statSync(join(folder, name)).mode & 0o777).toString(8);
  const open = () => openDataDirectory(folder).journal.close();

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'manta-data-mode-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('is closed to other users where it is empty or an engine’s', () => {
    chmodSync(folder, 0o755);
    open();
    expect(['', 'state.db', 'keys.json'].map(modeOf)).toEqual(['700', '600', '600']);
    chmodSync(folder, 0o755);
    open();
    expect(modeOf('')).toBe('700');
  });

  it('keeps its mode where it holds other files, but the files of pods in it are closed to other users', () => {
    chmodSync(folder, 0o755);
    writeFileSync(join(folder, 'notes.txt'), '');
    for (const name of ['pods', 'claims']) mkdirSync(join(folder, name), { mode: 0o755 });
    open();
    expect(['', 'pods', 'claims', 'state.db', 'keys.json'].map(modeOf)).toEqual(['755', '700', '700', '600', '600']);
  });

  it('is refused where other users could put files in the place of the engine’s', () => {
    writeFileSync(join(folder, 'notes.txt'), '');
    chmodSync(folder, 0o777);
    expect(open).toThrow(
      `cannot use the data directory ${folder}: other users may write to it (mode 0777); run chmod go-w on it, or choose another with --data-dir`,
    );
  });
});
