import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bytesIn, packagesIn, PipReader } from './pip-progress.ts';

const SAID = `Looking in links: /opt/wheels
Collecting ray[default,serve]==2.53.0
  Obtaining dependency information for ray from https://example.com/ray.whl.metadata
  Downloading ray-2.53.0-cp311-cp311-manylinux2014_x86_64.whl.metadata (21 kB)
Collecting click>=7.0 (from ray[default,serve]==2.53.0)
  Using cached click-8.5.1-py3-none-any.whl (126 kB)
Downloading ray-2.53.0-cp311-cp311-manylinux2014_x86_64.whl (71.2 MB)
Installing collected packages: click, ray
Successfully installed click-8.5.1 ray-2.53.0
`;

describe('what pip says', () => {
  it('is understood wherever it is cut', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(SAID.length), { maxLength: 6 }), (cuts) => {
        const reader = new PipReader();
        const at = [0, ...cuts.toSorted((a, b) => a - b), SAID.length];
        at.slice(1).forEach((end, index) => reader.read(SAID.slice(at[index], end)));
        expect([reader.packages, reader.toUnpack]).toEqual([2, 2]);
      }),
    );
  });

  it('is passed over where it is something else', () => {
    const reader = new PipReader();
    reader.read('a new pip says other things\n');
    expect([reader.packages, reader.toUnpack]).toEqual([0, undefined]);
  });
});

describe('what lies on the disk', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'manta-pip-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('is counted in bytes, at any depth', async () => {
    mkdirSync(join(folder, 'a/b'), { recursive: true });
    writeFileSync(join(folder, 'a/b/one'), 'x'.repeat(100));
    writeFileSync(join(folder, 'two'), 'x'.repeat(11));
    expect(await bytesIn(folder)).toBe(111);
    expect(await bytesIn(join(folder, 'nowhere'))).toBe(0);
  });

  it('is counted in packages', async () => {
    for (const name of ['ray', 'ray-2.53.0.dist-info', 'click-8.dist-info'])
      mkdirSync(join(folder, 'lib/python3.11/site-packages', name), { recursive: true });
    expect(await packagesIn(folder)).toBe(2);
    expect(await packagesIn(join(folder, 'nowhere'))).toBe(0);
  });
});
