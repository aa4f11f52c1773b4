import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { hiddenPaths } from './hidden-paths.ts';

describe('hiddenPaths()', () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'manta-hidden-')));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, 'real/data'), { recursive: true });
  symlinkSync(join(folder, 'real'), join(folder, 'alias'));
  symlinkSync(join(folder, 'real/data'), join(folder, 'link'));
  const at = (...names: readonly string[]) => names.map((name) => join(folder, name));

  it('gives the real path of a file that is reached through a link', () => {
    expect(hiddenPaths(at('link'), [])).toEqual(at('real/data'));
  });

  it('resolves links above a file that does not exist yet', () => {
    expect(hiddenPaths(at('link/kubeconfig'), [])).toEqual(at('real/data/kubeconfig'));
    expect(hiddenPaths(['/no/such/file'], [])).toEqual(['/no/such/file']);
  });

  it('gives the path in a folder that is shown under the name of a link', () => {
    expect(hiddenPaths(at('link'), at('alias', 'other'))).toEqual(at('real/data', 'alias/data'));
  });
});
