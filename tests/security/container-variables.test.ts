import { chmodSync, existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { modes, podEnv, type SandboxedPods, startSandboxedPods } from './support/sandboxed-pods.ts';

const TOOLS = [
  'nsenter',
  'unshare',
  'setpriv',
  'mount',
  'mkdir',
  'chroot',
  'readlink',
  'sh',
  'cp',
  'ln',
  'env',
  'perl',
];

describe.each(modes)('variables of a container (%s)', (mode) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'manta-variables-'));
  const claim = join(dataDir, 'claims/evil');
  const evidence = join(dataDir, 'evidence');
  let pods: SandboxedPods;
  let env: Readonly<Record<string, string>>;

  beforeAll(async () => {
    pods = await startSandboxedPods(mode, dataDir);
    mkdirSync(claim, { recursive: true });
    // What a pod may write into a volume, whose folder on the host it can guess.
    for (const tool of TOOLS) {
      writeFileSync(
        join(claim, tool),
        `#!/bin/sh\necho ${tool} >> ${evidence}\nPATH=${podEnv.PATH} exec ${tool} "$@"\n`,
      );
      chmodSync(join(claim, tool), 0o755);
    }
  });
  afterAll(() => pods.close());
  beforeEach(() => {
    env = {
      ...podEnv,
      PATH: `${claim}:${podEnv.PATH}`,
      'BASH_FUNC_mount%%': `() { echo function >> ${evidence}; command mount "$@"; }`,
      BASH_ENV: join(claim, 'nsenter'),
      ENV: join(claim, 'nsenter'),
      LD_PRELOAD: join(claim, 'lib.so'),
      'odd.name': 'odd value',
      UID: '7',
      TEXT: `two\nlines and 'quotes' "$HOME"`,
    };
  });

  it('choose no program that runs before the container is closed', async () => {
    const sandbox = await pods.pod();
    const main = await sandbox.start(pods.request('exec sleep 1000', { env }));
    const exec = await sandbox.exec(main, ['true'], env);
    exec.stdin.end();
    await exec.ended;
    await sandbox.destroy();
    expect(existsSync(evidence)).toBe(false);
  });

  it('reach the container, and commands in it, as they are', async () => {
    const sandbox = await pods.pod();
    const { LD_PRELOAD: _, ...harmless } = env;
    const script = `cat /proc/$$/environ | tr '\\0' '\\n' | grep -v '^\\(PWD\\|SHLVL\\|OLDPWD\\|_\\)='`;
    const expected = Object.entries(harmless).flatMap(([name, value]) => `${name}=${value}`.split('\n'));
    const sorted = (said: string) => said.trim().split('\n').toSorted();
    expect(sorted((await pods.run(sandbox, script, { env: harmless })).output)).toEqual(expected.toSorted());
    const main = await sandbox.start(pods.request('exec sleep 1000', { env: harmless }));
    const exec = await sandbox.exec(main, ['sh', '-c', script]);
    exec.stdin.end();
    expect(sorted(await text(exec.stdout))).toEqual(expected.toSorted());
    await sandbox.destroy();
  });
});
