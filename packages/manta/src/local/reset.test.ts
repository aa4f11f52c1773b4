import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { resetDataDir } from './reset.ts';

it('a reset removes what an engine keeps, and nothing of others', () => {
  const folder = mkdtempSync(join(tmpdir(), 'manta-reset-'));
  mkdirSync(join(folder, 'claims', 'some'), { recursive: true });
  for (const name of ['state.db', 'history.db', 'history.db-wal', 'keys.json', 'crds.sha256', 'notes.txt'])
    writeFileSync(join(folder, name), '');
  resetDataDir(folder);
  expect(readdirSync(folder)).toEqual(['notes.txt']);
  resetDataDir(join(folder, 'nowhere'));
  rmSync(folder, { recursive: true });
});
