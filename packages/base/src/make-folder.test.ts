import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { makeFolder } from './make-folder.ts';

const folder = mkdtempSync(join(tmpdir(), 'manta-folder-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('makeFolder()', () => {
  it('creates all missing folders with the mode, and accepts existing ones', () => {
    for (let time = 0; time < 2; time += 1) makeFolder(join(folder, 'a/b'), 0o700);
    expect(['a', 'a/b'].map((each) => statSync(join(folder, each)).mode & 0o777)).toEqual([0o700, 0o700]);
  });

  it('fails where a part of the path is a file', () => {
    writeFileSync(join(folder, 'file'), '');
    expect(() => makeFolder(join(folder, 'file'))).toThrow('EEXIST');
    expect(() => makeFolder(join(folder, 'file/below'))).toThrow('ENOTDIR');
  });

  it.runIf(process.platform === 'linux')(
    'fails where the system creates no folders, instead of never returning',
    () => {
      expect(() => makeFolder('/proc/manta/data')).toThrow('ENOENT');
    },
  );
});
