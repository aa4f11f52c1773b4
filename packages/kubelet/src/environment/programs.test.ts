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

  it('are pyenv and its Pythons if the folder is one of pyenv’s shims', () => {
    make('dot/shims', 'dot/libexec', 'dot/versions/3.11.7/bin', 'dot/versions/3.11.7/lib', 'dot/cache', 'dot/secrets');
    make('elsewhere/bin', 'elsewhere/lib');
    symlinkSync(join(home, 'elsewhere'), join(home, 'dot/versions/system'));
    writeFileSync(join(home, 'dot/version'), '3.11.7\n');
    const shim = `#!/usr/bin/env bash\nexport PYENV_ROOT="${home}/dot"\nexec "${home}/dot/libexec/pyenv" exec "$program" "$@"\n`;
    writeFileSync(join(home, 'dot/shims/python'), shim);
    expect(around('dot/shims')).toEqual([
      'dot/libexec',
      'dot/shims',
      'dot/version',
      'dot/versions',
      'elsewhere/bin',
      'elsewhere/lib',
    ]);
  });

  it('are no installation around a folder of shims of another program', () => {
    make('other/shims', 'other/libexec', 'other/versions');
    writeFileSync(join(home, 'other/shims/python'), '#!/bin/sh\nexec /somewhere/else "$@"\n');
    expect(around('other/shims')).toEqual(['other/shims']);
  });

  it('are all formulas of Homebrew, from its own programs or from a virtual environment of its Python', () => {
    make('brew/bin', 'brew/lib', 'brew/opt', 'brew/Cellar/python/3.12.1/bin', 'brew/Cellar/ssl/3/lib', 'brew/var/db');
    writeFileSync(join(home, 'brew/Cellar/python/3.12.1/bin/python3'), '');
    symlinkSync('../Cellar/python/3.12.1', join(home, 'brew/opt/python'));
    symlinkSync('../Cellar/python/3.12.1/bin/python3', join(home, 'brew/bin/python3'));
    const all = ['brew/Cellar', 'brew/bin', 'brew/lib', 'brew/opt'];
    expect(around('brew/bin')).toEqual(all);
    make('of-brew/bin');
    symlinkSync(join(home, 'brew/opt/python/bin/python3'), join(home, 'of-brew/bin/python3'));
    writeFileSync(join(home, 'of-brew/pyvenv.cfg'), `home = ${home}/brew/opt/python/bin\n`);
    expect(around('of-brew/bin')).toEqual([...all, 'of-brew']);
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
