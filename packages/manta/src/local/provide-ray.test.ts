import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { InstallProgress } from './pip-progress.ts';
import { provideRay as provide, type ProvideRayOptions } from './provide-ray.ts';

/** On a machine with room enough, whatever the one that runs this has left. */
const provideRay = (options: ProvideRayOptions) => provide({ freeBytes: () => Promise.resolve(1e12), ...options });

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'manta-venv-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** A machine whose `python3` is this script. */
async function machine(script: string): Promise<{ readonly env: Readonly<Record<string, string>> }> {
  await writeFile(join(folder, 'python3'), `#!/bin/sh\n${script}\n`);
  await chmod(join(folder, 'python3'), 0o755);
  return { env: { PATH: `${folder}:/usr/bin:/bin`, MANTA_CACHE: join(folder, 'cache') } };
}

describe('providing Ray', () => {
  test('takes the environment that is given', async () => {
    const given = { MANTA_RAY_VENV: folder };
    await expect(provideRay({ env: given })).rejects.toThrow(
      `MANTA_RAY_VENV is set to ${folder}, which has no bin/ray`,
    );
  });

  test('says when Python is too old', async () => {
    const { env } = await machine('echo cpython 3 9');
    await expect(provideRay({ env })).rejects.toThrow('Ray needs Python 3.10 or newer, and python3 is 3.9');
  });

  test('says when there is no Python', async () => {
    const { env } = await machine('exit 1');
    await expect(provideRay({ env })).rejects.toThrow('Ray needs Python 3.10 or newer, and there is no python3');
  });

  const fakePip = String.raw`
    case "$1" in
      -c) echo cpython 3 12 ;;
      -m) shift; if [ "$1" = venv ]; then mkdir -p "$2/bin"; cp "$0" "$2/bin/python"; else PIP; fi ;;
    esac`;

  test('says why an installation failed, and begins anew the next time', async () => {
    const { env } = await machine(fakePip.replace('PIP', 'echo "no index" >&2; exit 1'));
    await expect(provideRay({ env })).rejects.toThrow(
      /could not be installed into .*:\nno index\nMake a package index reachable/,
    );
    await machine(fakePip.replace('PIP', 'touch "${0%python}ray"'));
    const venv = await provideRay({ env });
    expect(await readdir(venv.bin)).toContain('ray');
  });

  test('installs once, also for two who ask at the same time, and once per version', async () => {
    const { env } = await machine(fakePip.replace('PIP', `echo "$5" >> ${join(folder, 'installed')}`));
    const said: string[] = [];
    const options = { env, say: (line: string) => said.push(line) };
    await Promise.all([provideRay(options), provideRay(options)]);
    await provideRay(options);
    await provideRay({ ...options, env: { ...env, MANTA_RAY_VERSION: '2.9.0' } });
    expect(said.filter((line) => line.startsWith('installing'))).toHaveLength(2);
  });

  test('takes the Ray that is in the path, where it is whole and of the wanted version', async () => {
    const { env } = await machine(fakePip.replace('PIP', 'touch "${0%python}ray"'));
    await writeFile(join(folder, 'ray'), '');
    const python = async (script: string) => {
      await writeFile(join(folder, 'python'), `#!/bin/sh\n${script}\n`);
      await chmod(join(folder, 'python'), 0o755);
    };
    await python('echo "$0"; echo 2.53.0');
    const said: string[] = [];
    const options = { env, say: (line: string) => said.push(line) };
    expect(await provideRay(options)).toEqual({ bin: folder });
    expect(await provideRay({ env: { ...env, MANTA_RAY_VERSION: '2.53.0' } })).toEqual({ bin: folder });
    expect((await provideRay({ env: { ...env, MANTA_RAY_VERSION: '2.9.0' } })).bin).not.toBe(folder);
    expect(said).toEqual([`using the Ray that is installed in ${folder}`]);
    await python('echo No module named ray.serve >&2; exit 1');
    expect((await provideRay({ env })).bin).not.toBe(folder);
  });

  test('takes the folder of the Python behind shims', async () => {
    const { env } = await machine('exit 1');
    await mkdir(join(folder, 'versions/bin'), { recursive: true });
    for (const path of ['ray', 'versions/bin/ray']) await writeFile(join(folder, path), '');
    await writeFile(
      join(folder, 'python3'),
      `#!/bin/sh
      case "$2" in *ray*) echo ${folder}/versions/bin/python3; echo 2.53.0;; *) echo cpython 3 12;; esac`,
    );
    expect(await provideRay({ env })).toEqual({ bin: join(folder, 'versions/bin') });
  });

  test('says beforehand how much it takes, and then how far it is', async () => {
    const pip = `echo "Downloading ray-2.53.0-cp312.whl (71 MB)"; head -c 5000 /dev/zero > "$TMPDIR/wheel"
      echo "Installing collected packages: click, ray"
      mkdir -p "\${0%/bin/python}/lib/python3.12/site-packages/ray-2.53.0.dist-info"`;
    const { env } = await machine(fakePip.replace('PIP', pip));
    const [said, seen]: [string[], InstallProgress[]] = [[], []];
    const options = { env, version: '2.53.0', say: (line: string) => said.push(line) };
    const { bin } = await provideRay({ ...options, onProgress: (progress) => seen.push(progress) });
    expect(said).toEqual(['installing Ray 2.53.0 from PyPI, once: about 120 MB to fetch, 500 MB on the disk']);
    expect(seen.at(-1)).toEqual({ step: 'unpack', done: 1, of: 2 });
    expect(await readdir(join(bin, '../..'))).toEqual(expect.not.arrayContaining([expect.stringMatching(/tmp$/)]));
  });

  test('does not begin where there is no room for it', async () => {
    const { env } = await machine(fakePip.replace('PIP', 'touch "${0%python}ray"'));
    await expect(provideRay({ env, freeBytes: () => Promise.resolve(312_000_000) })).rejects.toThrow(
      /^The disk with .* has 312 MB left: Ray needs about \d+ MB there. Make room, or set MANTA_CACHE/,
    );
    await provideRay({ env });
  });

  test('says when the disk runs full on the way', async () => {
    const { env } = await machine(
      fakePip.replace('PIP', 'echo "ERROR: [Errno 28] No space left on device" >&2; exit 1'),
    );
    await expect(provideRay({ env })).rejects.toThrow(/^The disk with .* is full: Ray needs about/);
    // What there is of it makes room for others.
    expect(await readdir(join(folder, 'cache/ray'))).toEqual([expect.stringMatching(/\.lock$/)]);
  });

  test('says where nothing can be kept', async () => {
    const { env } = await machine(fakePip);
    await writeFile(join(folder, 'cache'), 'a file');
    await expect(provideRay({ env })).rejects.toThrow(/^Ray cannot be kept in .*cache.ray .*Set MANTA_CACHE/);
  });

  test('ends an installation when it is told to, and begins anew the next time', async () => {
    const { env } = await machine(fakePip.replace('PIP', 'exec sleep 1000'));
    const stop = new AbortController();
    const say = (line: string) => {
      if (line.startsWith('installing')) setTimeout(() => stop.abort(new Error('received SIGINT')), 100);
    };
    await expect(provideRay({ env, say, signal: stop.signal })).rejects.toThrow('received SIGINT');
    await machine(fakePip.replace('PIP', 'touch "${0%python}ray"'));
    expect(await readdir((await provideRay({ env })).bin)).toContain('ray');
  });
});
