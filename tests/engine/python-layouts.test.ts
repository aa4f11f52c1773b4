import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createImageTable } from '@manta/kubelet';
import { modes, type SandboxedPods, startSandboxedPods } from '../security/support/sandboxed-pods.ts';

describe.each(modes)('a Python in a home, run in a pod (%s)', (mode) => {
  // Not a temporary folder: pods have a /tmp of their own.
  const home = mkdtempSync(join(process.getuid?.() === 0 ? '/home' : homedir(), 'manta-python-'));
  let pods: SandboxedPods;

  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), text, { mode: 0o755 });
  };
  const link = (target: string, path: string) => {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    symlinkSync(target, join(home, path));
  };
  /** Runs `python3` of an image that this folder stands for, and lists what the pod sees of the home. */
  const run = async (bin: string) => {
    const answer = createImageTable({ rayBin: '', configured: { image: { bin: join(home, bin) } } })('image');
    const { env = {}, programs = [] } = answer.kind === 'known' ? answer : {};
    const sandbox = await pods.pod();
    const { output } = await pods.run(sandbox, `python3 hello; find ${home} -name secret`, { env, programs });
    await sandbox.destroy();
    return output.trim();
  };

  beforeAll(async () => {
    pods = await startSandboxedPods(mode, join(home, 'data'));
    write('secret', '');
  });
  afterAll(async () => {
    await pods.close();
    rmSync(home, { recursive: true, force: true });
  });

  it('works through the shims of pyenv', async () => {
    const root = join(home, 'pyenv');
    const shim = `#!/bin/sh\nprogram="\${0##*/}"\nexport PYENV_ROOT="${root}"\nexec "${root}/libexec/pyenv" exec "$program" "$@"\n`;
    for (const name of ['python', 'python3']) write(`pyenv/shims/${name}`, shim);
    write('pyenv/libexec/pyenv', `#!/bin/sh\nshift\nexec "$PYENV_ROOT/versions/$(cat "$PYENV_ROOT/version")/bin/$@"\n`);
    write('pyenv/version', '3.12.1\n');
    write('pyenv/versions/3.12.1/bin/python3', `#!/bin/sh\n. "$PYENV_ROOT/versions/3.12.1/lib/code"\n`);
    write('pyenv/versions/3.12.1/lib/code', 'echo "pyenv: $1"\n');
    write('pyenv/secret', '');
    expect(await run('pyenv/shims')).toBe('pyenv: hello');
  });

  it('works through the links of Homebrew', async () => {
    const prefix = join(home, 'brew');
    write('brew/Cellar/python@3.12/3.12.1/bin/python3.12', `#!/bin/sh\n. ${prefix}/opt/openssl@3/lib/code\n`);
    write('brew/Cellar/openssl@3/3.4.0/lib/code', 'echo "brew: $1"\n');
    link('../Cellar/python@3.12/3.12.1/bin/python3.12', 'brew/bin/python3');
    link('../Cellar/openssl@3/3.4.0', 'brew/opt/openssl@3');
    link('../Cellar/python@3.12/3.12.1', 'brew/opt/python@3.12');
    write('brew/var/secret', '');
    expect(await run('brew/bin')).toBe('brew: hello');
    link(join(prefix, 'opt/python@3.12/bin/python3.12'), 'venv/bin/python3');
    write('venv/pyvenv.cfg', `home = ${prefix}/opt/python@3.12/bin\n`);
    expect(await run('venv/bin')).toBe('brew: hello');
  });
});
