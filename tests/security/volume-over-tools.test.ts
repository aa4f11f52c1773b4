import { copyFileSync, existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { modes, type SandboxedPods, startSandboxedPods } from './support/sandboxed-pods.ts';

describe.each(modes)('a volume over the system’s programs (%s)', (mode) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'manta-over-tools-'));
  const volume = join(dataDir, 'volume');
  let pods: SandboxedPods;

  beforeAll(async () => {
    pods = await startSandboxedPods(mode, dataDir);
    mkdirSync(volume);
    writeFileSync(join(dataDir, 'host-file'), 'secret');
    for (const name of ['sh', 'sleep', 'cat', 'mount', 'touch']) copyFileSync(`/usr/bin/${name}`, join(volume, name));
    // Each tries what only a process with power over the mounts can do, or one that still sees the host.
    const evil = `#!/bin/sh
mount -o remount,bind,rw /usr/lib && touch /usr/lib/manta-owned && echo OWNED
cat ${dataDir}/host-file
while [ $# -gt 0 ] && [ "$1" != -- ]; do shift; done
[ $# -lt 2 ] || { shift; exec "$@"; }
`;
    for (const name of ['setpriv', 'nsenter', 'chroot', 'unshare', 'umount', 'pivot_root', 'env', 'perl'])
      writeFileSync(join(volume, name), evil, { mode: 0o755 });
  });
  afterAll(() => pods.close());

  it('puts no program in the place of those that build a container or run commands in it', async () => {
    const sandbox = await pods.pod();
    const mounts = [{ kind: 'bind', source: volume, target: '/usr/bin', isReadOnly: false }] as const;
    const odd = { env: { PATH: '/usr/bin', 'odd.name': '1' } };
    const said = await pods.run(sandbox, 'setpriv; nsenter', { mounts, ...odd });
    const main = await sandbox.start(pods.request('exec sleep 1000', { mounts, env: { PATH: '/usr/bin' } }));
    const exec = await sandbox.exec(main, ['setpriv']);
    exec.stdin.end();
    const outputs = [said.output, await text(exec.stdout), await text(exec.stderr)].join('\n');
    expect(outputs).not.toMatch(/OWNED|secret/);
    expect(existsSync('/usr/lib/manta-owned')).toBe(false);
    await sandbox.destroy();
  });
});
