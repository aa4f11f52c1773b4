import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createRayVersions, rayVersionsBeside } from './ray-versions.ts';

describe('versions of Ray beside each other', () => {
  it('are installed once each, also for many who ask at the same time', async () => {
    const asked: string[] = [];
    const binOf = createRayVersions(async (version) => {
      asked.push(version);
      return { bin: `/ray-${version}/bin` };
    });
    const answers = ['2.53.0', '2.53.0', '2.54.0'].map(binOf);
    expect(answers.every((answer) => answer instanceof Promise)).toBe(true);
    expect(await Promise.all(answers.map(async (answer) => await answer))).toEqual([
      '/ray-2.53.0/bin',
      '/ray-2.53.0/bin',
      '/ray-2.54.0/bin',
    ]);
    expect(binOf('2.53.0')).toBe('/ray-2.53.0/bin');
    expect(asked).toEqual(['2.53.0', '2.54.0']);
  });

  it('that could not be had are tried again', async () => {
    const outcomes = [Promise.reject(new Error('no network')), Promise.resolve({ bin: '/bin' })];
    outcomes.forEach((outcome) => void outcome.catch(() => undefined));
    const binOf = createRayVersions(() => outcomes.shift() ?? Promise.reject(new Error('asked too often')));
    await expect(binOf('2.53.0')).rejects.toThrow('no network');
    expect(await binOf('2.53.0')).toBe('/bin');
  });
});

describe('the Ray of a tag', () => {
  it('is the one that is there where it is of this version, and one of its own where it is not', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'manta-versions-'));
    await writeFile(join(folder, 'python'), '#!/bin/sh\necho 2.60.0\n');
    // The machine's own: it has a version, makes environments, and its pip finds nothing but 2.53.0.
    const pip = 'case "$*" in *==2.53.0) ;; *) echo "(from versions: 2.52.0, 2.53.0)" >&2; exit 1 ;; esac';
    const python3 = `#!/bin/sh
      case "$2" in import*) echo cpython 3 12 ;; venv) mkdir -p "$3/bin"; cp "$0" "$3/bin/python" ;; *) ${pip} ;; esac`;
    await writeFile(join(folder, 'python3'), python3);
    for (const name of ['python', 'python3']) await chmod(join(folder, name), 0o755);
    const env = { PATH: `${folder}:/usr/bin:/bin`, MANTA_CACHE: join(folder, 'cache'), MANTA_RAY_VENV: '/other' };
    const binOf = await rayVersionsBeside({ bin: folder }, { env, freeBytes: () => Promise.resolve(1e12) });
    expect(binOf('2.60.0')).toBe(folder);
    expect(await binOf('2.53.0')).toMatch(/cache\/ray\/.*\/bin$/);
    await expect(binOf('9.9.9')).rejects.toThrow(
      'There is no ray[default,serve]==9.9.9 for this Python; the newest are 2.52.0, 2.53.0. Name one of them in the tag of the image.',
    );
    await rm(folder, { recursive: true });
  });
});
