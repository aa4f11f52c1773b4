import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { withLock } from '../../../packages/manta/src/local/lock.ts';
import { provideKubeAssets } from './provide.ts';

const neverWaits = () => undefined;
let root: string;
let said: string;
const sink = { write: (text: string) => (said += text) };

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'manta-assets-test-'));
  said = '';
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** A machine whose `go` is a script: it notes each build in a file and then does what `build` says; `$output` is the wanted file. */
function machineWithGo(build: string) {
  const bin = join(root, 'bin');
  mkdirSync(bin);
  const script = `#!/bin/sh
if [ "$1" = version ]; then echo "go version go1.26.1 linux/amd64"; exit 0; fi
while [ "$1" != -o ]; do shift; done
output=$2
echo "$3" >> "${root}/builds"
${build}
`;
  writeFileSync(join(bin, 'go'), script, { mode: 0o755 });
  return { MANTA_CACHE: join(root, 'cache'), PATH: `${bin}:${process.env['PATH']}`, HOME: root };
}

const builds = (): readonly string[] =>
  existsSync(join(root, 'builds')) ? readFileSync(join(root, 'builds'), 'utf8').trim().split('\n') : [];
const writesProgram = 'mkdir -p "$(dirname "$output")"; echo built > "$output"';

describe('provideKubeAssets()', () => {
  it('builds each program once, however many processes ask at the same time', async () => {
    const env = machineWithGo(`sleep 0.1; ${writesProgram}`);
    const folders = await Promise.all([1, 2, 3].map(() => provideKubeAssets({ env, sink })));
    expect(new Set(folders).size).toBe(1);
    const programs = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kubectl'];
    expect(readdirSync(folders[0] ?? '').toSorted()).toEqual(programs);
    expect(builds()).toEqual([
      'go.etcd.io/etcd/server/v3',
      'k8s.io/kubernetes/cmd/kube-apiserver',
      'k8s.io/kubernetes/cmd/kube-controller-manager',
      'k8s.io/kubernetes/cmd/kubectl',
    ]);
    expect(said).toContain('another process is building');
    expect(said).toMatch(/building kubectl \(4 of 4\): done in \d+ s/);
  });

  it('adds what is asked for later without building the rest again', async () => {
    const env = machineWithGo(writesProgram);
    const folder = await provideKubeAssets({ env, sink });
    expect(await provideKubeAssets({ env, sink, extra: ['kubelet'] })).toBe(folder);
    expect(builds()).toHaveLength(5);
    expect(readdirSync(folder)).toContain('kubelet');
  });

  it('keeps what was finished when a later program fails, says why and leaves no half of it', async () => {
    const env = machineWithGo(`case "$output" in
      */etcd) ${writesProgram} ;;
      *) ${writesProgram}; echo "dial tcp: lookup modules.example: no such host" >&2; exit 1 ;;
    esac`);
    await expect(provideKubeAssets({ env, sink })).rejects.toThrow(
      /kube-apiserver could not be built:\n.*no such host\n.*module proxy could not be reached/s,
    );
    const [folder = ''] = readdirSync(join(root, 'cache', 'kube')).filter((name) => name.startsWith('kubernetes-'));
    expect(readdirSync(join(root, 'cache', 'kube', folder))).toEqual(['etcd']);
  });

  it('says what to do where the cache can not be written', async () => {
    const env = machineWithGo(writesProgram);
    writeFileSync(join(root, 'file'), '');
    await expect(provideKubeAssets({ env: { ...env, MANTA_CACHE: join(root, 'file') }, sink })).rejects.toThrow(
      /Set MANTA_CACHE/,
    );
  });

  it('says what to do where neither Go nor Python is there', async () => {
    const env = { MANTA_CACHE: join(root, 'cache'), PATH: join(root, 'empty') };
    await expect(provideKubeAssets({ env, sink })).rejects.toThrow(
      /Go 1\.26\.0 or newer is needed.*Install Go.*KUBEBUILDER_ASSETS/s,
    );
  });
});

describe('withLock()', () => {
  it('lets one in at a time, and the next when the work has failed', async () => {
    const path = join(root, 'lock');
    let inside = 0;
    const work = async (fails: boolean) => {
      expect(++inside).toBe(1);
      await new Promise((resolve) => setTimeout(resolve, 20));
      inside--;
      if (fails) throw new Error('failed');
      return 'done';
    };
    const outcomes = await Promise.allSettled(
      [true, false, false].map((fails) => withLock(path, neverWaits, () => work(fails))),
    );
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'fulfilled', 'rejected']);
  });

  it('ends with the process that held it, even one killed with SIGKILL', async () => {
    const path = join(root, 'lock');
    const program = `import { withLock } from ${JSON.stringify(join(import.meta.dirname, '../../../packages/manta/src/local/lock.ts'))};
      await withLock(${JSON.stringify(path)}, () => {}, () => new Promise((resolve) => { console.log('held'); setTimeout(resolve, 60000); }));`;
    const holder = spawn(process.execPath, ['--input-type=module', '-e', program], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    await once(holder.stdout, 'data');
    let waited = false;
    const onWait = () => {
      waited = true;
      holder.kill('SIGKILL');
    };
    expect(await withLock(path, onWait, async () => 'mine')).toBe('mine');
    expect(waited).toBe(true);
  });
});
