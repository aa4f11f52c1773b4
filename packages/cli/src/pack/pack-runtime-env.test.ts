import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { packRuntimeEnv } from './pack-runtime-env.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'manta-pack-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const URI = 's3://bucket/code.zip';

describe('packRuntimeEnv()', () => {
  it('leaves URIs and values that name no file', async () => {
    const env = { pip: ['requests'], conda: 'an-environment', py_modules: [URI], env_vars: { A: '1' } };
    expect(await packRuntimeEnv(env, URI)).toEqual({ runtimeEnv: { ...env, working_dir: URI }, packages: [] });
  });

  it('reads the files that pip and conda name', async () => {
    writeFileSync(join(folder, 'requirements.txt'), '# comment\nrequests==2.0\n\n');
    writeFileSync(join(folder, 'conda.yaml'), 'dependencies: [pip]\n');
    const env = { pip: join(folder, 'requirements.txt'), conda: join(folder, 'conda.yaml') };
    expect((await packRuntimeEnv(env, URI)).runtimeEnv).toEqual({
      pip: ['requests==2.0'],
      conda: { dependencies: ['pip'] },
      working_dir: URI,
    });
    writeFileSync(join(folder, 'conda.yaml'), 'a: [');
    await expect(packRuntimeEnv(env, URI)).rejects.toMatchObject({ exitCode: 2 });
  });

  it('packs a Python module under its own name, without what `excludes` names', async () => {
    mkdirSync(join(folder, 'helpers'));
    for (const file of ['__init__.py', 'big.bin']) writeFileSync(join(folder, 'helpers', file), '');
    const env = { py_modules: [join(folder, 'helpers')], excludes: ['*.bin'] };
    const { runtimeEnv, packages } = await packRuntimeEnv(env, URI);
    const [packed] = packages;
    expect(runtimeEnv['py_modules']).toEqual([packed?.uri]);
    const archive = join(folder, 'out.zip');
    writeFileSync(archive, packed?.bytes ?? '');
    const program = 'import sys,zipfile; print(zipfile.ZipFile(sys.argv[1]).namelist())';
    const listed = execFileSync('python3', ['-c', program, archive], { encoding: 'utf8' });
    expect(listed.trim()).toBe("['helpers/__init__.py']");
  });
});
