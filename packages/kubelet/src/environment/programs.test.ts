import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { programsAround } from './programs.ts';

describe('programs that stand for an image', () => {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'manta-programs-')));
  afterAll(() => rmSync(home, { recursive: true, force: true }));
  afterEach(() => vi.unstubAllEnvs());
  const make = (...folders: readonly string[]) => {
    for (const folder of folders) mkdirSync(join(home, folder), { recursive: true });
  };
  const around = (bin: string) => programsAround(join(home, bin)).map((path) => path.slice(home.length + 1));

  it('are a virtual environment and the parts of the Python that it leads to', () => {
    make('venv/bin', 'venv/lib', 'pyenv/versions/3.11.7/bin', 'pyenv/versions/3.11.7/lib', 'pyenv/secrets');
    writeFileSync(join(home, 'pyenv/versions/3.11.7/bin/python3.11'), '');
    symlinkSync('python3.11', join(home, 'pyenv/versions/3.11.7/bin/python3'));
    symlinkSync(join(home, 'pyenv/versions/3.11.7/bin/python3'), join(home, 'venv/bin/python'));
    writeFileSync(join(home, 'venv/pyvenv.cfg'), `home = ${home}/pyenv/versions/3.11.7/bin\nversion = 3.11.7\n`);
    expect(around('venv/bin')).toEqual(['pyenv/versions/3.11.7/bin', 'pyenv/versions/3.11.7/lib', 'venv']);
  });

  it('are shown under the path that was given and the one that it leads to', () => {
    make('real/bin', 'real/lib');
    symlinkSync(join(home, 'real'), join(home, 'alias'));
    expect(around('alias/bin')).toEqual(['alias/bin', 'alias/lib', 'real/bin', 'real/lib']);
  });

  it('bring nothing along that merely lies beside them', () => {
    make('user/.local/bin', 'user/.local/lib', 'user/.local/share/keyrings', 'tools/plain', 'tools/other');
    expect(around('user/.local/bin')).toEqual(['user/.local/bin', 'user/.local/lib']);
    expect(around('tools/plain')).toEqual(['tools/plain']);
  });

  it('never bring a whole home along, not even one that is a virtual environment', () => {
    make('me/bin', 'me/lib', 'me/.ssh');
    writeFileSync(join(home, 'me/pyvenv.cfg'), '');
    vi.stubEnv('HOME', join(home, 'me'));
    expect(around('me/bin')).toEqual(['me/bin', 'me/lib', 'me/pyvenv.cfg']);
  });

  it('are nothing more where they are the system’s', () => {
    expect(programsAround('/usr/bin')).toEqual([]);
  });
});
