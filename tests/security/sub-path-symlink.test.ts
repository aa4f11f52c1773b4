import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Mount } from '@manta/kubelet';
import { mountsOf } from '../../packages/kubelet/src/volumes/volumes.ts';
import { modes, type SandboxedPods, startSandboxedPods } from './support/sandboxed-pods.ts';

describe.each(modes)('a symbolic link that a pod puts into its volume (%s)', (mode) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'manta-links-'));
  const volume = join(dataDir, 'volume');
  const host = join(dataDir, 'host');
  let pods: SandboxedPods;

  beforeAll(async () => {
    pods = await startSandboxedPods(mode, dataDir);
    mkdirSync(volume);
    mkdirSync(host);
    writeFileSync(join(host, 'file'), 'secret');
    symlinkSync(host, join(volume, 'link'));
    symlinkSync(join(host, 'file'), join(volume, 'file-link'));
  });
  afterAll(() => pods.close());

  it('is refused as a subPath before anything is mounted or made', () => {
    const main = (subPath: string) => ({ name: 'main', volumeMounts: [{ name: 'v', mountPath: '/x', subPath }] });
    const volumes = new Map([['v', { path: volume, isReadOnly: false }]]);
    for (const each of ['link', 'link/file', 'link/made', 'file-link'])
      expect(() => mountsOf(main(each), volumes, {})).toThrow(`subPath ${each} leads out of volume "v"`);
    expect(readdirSync(host)).toEqual(['file']);
  });

  it('is not followed where it comes after that, when the container is built', async () => {
    const sandbox = await pods.pod();
    for (const within of ['link', 'link/file', 'link/made/deep', 'file-link']) {
      const mounts: Mount[] = [{ kind: 'bind', source: volume, within, target: '/x', isReadOnly: false }];
      const { code, output } = await pods.run(sandbox, 'cat /x /x/file', { mounts });
      expect([within, code]).toEqual([within, 125]);
      expect(output).toContain(`cannot mount ${volume}/${within}: it`);
    }
    expect(readdirSync(host)).toEqual(['file']);
    await sandbox.destroy();
  });

  it('leads no mount point out of the container, nor anything that is removed to make room for it', async () => {
    const sandbox = await pods.pod();
    const bind = { kind: 'bind', isReadOnly: false } as const;
    const empty = join(dataDir, 'empty');
    writeFileSync(empty, '');
    const mounts: Mount[] = [
      { ...bind, source: volume, target: '/data' },
      { ...bind, source: empty, target: '/data/link/file' },
      { ...bind, source: empty, target: '/data/link/new/file' },
    ];
    await pods.run(sandbox, 'true', { mounts });
    expect(readdirSync(host)).toEqual(['file']);
    expect(readFileSync(join(host, 'file'), 'utf8')).toBe('secret');
    await sandbox.destroy();
  });

  it('shows nothing of the host while it is swapped with a folder as fast as a pod can', async () => {
    const sandbox = await pods.pod();
    const whole: Mount = { kind: 'bind', source: volume, target: '/data', isReadOnly: false };
    const swap = `cd /data; mkdir -p real/deep; while :; do ln -sfn ${host} race; rm -rf race; mkdir -p race/deep; rm -rf race; done`;
    const swapping = await sandbox.start(pods.request(swap, { mounts: [whole] }));
    for (let round = 0; round < 15; round += 1) {
      const mounts: Mount[] = [
        whole,
        { kind: 'bind', source: volume, within: 'race/deep', target: '/x', isReadOnly: false },
        { kind: 'bind', source: join(volume, 'real'), target: '/data/race/point', isReadOnly: false },
      ];
      const { output } = await pods.run(sandbox, 'cat /x/file /x/../file; ls /x', { mounts });
      expect(output).not.toContain('secret');
    }
    await swapping.signal('SIGKILL');
    expect(readdirSync(host)).toEqual(['file']);
    expect(existsSync(join(host, 'deep'))).toBe(false);
    await sandbox.destroy();
  });
});
