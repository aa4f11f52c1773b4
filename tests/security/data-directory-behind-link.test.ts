import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { modes, type SandboxedPods, startSandboxedPods } from './support/sandboxed-pods.ts';

describe.each(modes)('a data directory that is named by a symbolic link (%s)', (mode) => {
  // Not a temporary folder: pods have a /tmp of their own.
  const home = mkdtempSync(join(process.getuid?.() === 0 ? '/home' : homedir(), 'manta-link-'));
  const real = join(home, 'tools/data');
  let pods: SandboxedPods;

  beforeAll(async () => {
    mkdirSync(real, { recursive: true });
    symlinkSync(real, join(home, 'link'));
    symlinkSync(join(home, 'tools'), join(home, 'alias'));
    symlinkSync('data', join(home, 'tools/near'));
    pods = await startSandboxedPods(mode, join(home, 'link'));
    writeFileSync(join(real, 'kubeconfig'), 'secret');
    writeFileSync(join(home, 'tools/tool'), '#!/bin/sh\necho runs\n', { mode: 0o755 });
  });
  afterAll(async () => {
    await pods.close();
    rmSync(home, { recursive: true, force: true });
  });

  it('is hidden from pods under each of its names, and their programs run', async () => {
    const sandbox = await pods.pod();
    const names = ['tools/data', 'tools/near', 'alias/data', 'alias/near', 'link'].map((name) => join(home, name));
    const look = names.map((name) => `cat ${name}/kubeconfig; ls -A ${name}/`).join('; ');
    const programs = [join(home, 'tools'), join(home, 'alias')];
    const { output } = await pods.run(sandbox, `${look}; ${home}/tools/tool; ${home}/alias/tool`, { programs });
    await sandbox.destroy();
    expect(output).not.toMatch(/^secret|^kubeconfig|^pods$/m);
    expect(output.match(/^runs$/gm)).toHaveLength(2);
  });
});
