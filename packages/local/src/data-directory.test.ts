import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCertificateAuthority } from '@manta/kube';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DataDirectoryError, openDataDirectory } from './data-directory.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'manta-data-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function keysAfterOpening() {
  const { journal, keys } = openDataDirectory(folder);
  journal.close();
  return keys;
}

describe('the keys of a data directory', () => {
  it('are the same after a restart', () => {
    expect(keysAfterOpening()).toEqual(keysAfterOpening());
  });

  it('are refused with advice when the key belongs to another certificate', () => {
    keysAfterOpening();
    const file = join(folder, 'keys.json');
    const authorityKey = createCertificateAuthority('other').key;
    writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), authorityKey }));
    expect(keysAfterOpening).toThrow(DataDirectoryError);
    expect(keysAfterOpening).toThrow("does not hold an engine's keys; put it back from a copy, or remove it");
  });
});
