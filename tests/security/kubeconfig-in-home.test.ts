import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createImageTable } from '@manta/kubelet';
import { modes, type SandboxedPods, startSandboxedPods } from './support/sandboxed-pods.ts';

describe.each(modes)('the files of the user who started the engine (%s)', (mode) => {
  const home = mkdtempSync(join(process.getuid?.() === 0 ? '/home' : homedir(), 'manta-home-'));
  const dataDir = join(home, '.local/share/manta');
  let pods: SandboxedPods;
  const ask = async (script: string, programs: readonly string[] = []) => {
    const sandbox = await pods.pod();
    const said = await pods.run(sandbox, script, { programs });
    await sandbox.destroy();
    return said;
  };

  beforeAll(async () => {
    pods = await startSandboxedPods(mode, dataDir);
    for (const name of ['.local/share/manta/kubeconfig', '.kube/config', '.ssh/id', '.aws/credentials', '.config/x']) {
      mkdirSync(dirname(join(home, name)), { recursive: true });
      writeFileSync(join(home, name), 'secret');
    }
  });
  afterAll(async () => {
    await pods.close();
    rmSync(home, { recursive: true, force: true });
  });

  it('are invisible to pods, the kubeconfig in the data directory above all', async () => {
    const looked = await ask(
      `cat ${home}/.local/share/manta/kubeconfig ${home}/.kube/config ${home}/.ssh/id; ls -A ${home}; ls -A /home`,
    );
    expect(looked.output).not.toContain('secret');
    expect(looked.output.trim().split('\n').at(-1)).toBe('ray');
  });

  it('stay so beside the programs of an image that are in the same home', async () => {
    const bin = join(home, '.local/bin');
    mkdirSync(bin, { recursive: true });
    mkdirSync(join(home, '.local/lib'), { recursive: true });
    writeFileSync(join(bin, 'tool'), '#!/bin/sh\necho runs\n', { mode: 0o755 });
    const answer = createImageTable({ rayBin: bin })('rayproject/ray:2.53.0');
    const programs = answer.kind === 'known' ? (answer.programs ?? []) : [];
    const { output } = await ask(`${bin}/tool; ls -A ${home} ${home}/.local; echo x > ${bin}/tool`, programs);
    expect(output.replaceAll(/\s+/g, ' ')).toContain(`runs ${home}: .local ${home}/.local: bin lib`);
    expect(output).toMatch(/Read-only file system/);
    expect(readFileSync(join(bin, 'tool'), 'utf8')).toContain('runs');
  });

  it('stay so where a folder that is shown holds the data directory', async () => {
    const { output } = await ask(`ls -A ${dataDir}; cat ${dataDir}/kubeconfig; ls -A ${home}/.local`, [
      join(home, '.local'),
    ]);
    expect(output).toContain('share');
    expect(output).not.toContain('secret');
    expect(output).not.toContain('kubeconfig\n');
  });
});
