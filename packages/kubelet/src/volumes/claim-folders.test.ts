import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { persistentVolumeClaims } from '@manta/controllers';
import { SPACE, startTestCluster } from '@manta/controllers/testing';
import { volumeProtection } from '../../../controllers/src/volume/volume-protection.ts';
import { ClaimFolders } from './claim-folders.ts';

describe('data of a claim', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'manta-claims-'));
  afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

  it('is closed to other users, and outlives the claim while a pod that has it mounted runs', async () => {
    const test = await startTestCluster();
    test.start(volumeProtection);
    const folders = new ClaimFolders(test.cluster, dataDir);
    const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
    const { metadata } = await test.create(persistentVolumeClaims, 'data', { spec });
    const folder = folders.of(SPACE, 'data', 'pod-1') ?? '';
    expect(folder).toBe(join(dataDir, 'claims', metadata.uid ?? ''));
    expect(statSync(join(dataDir, 'claims')).mode & 0o777).toBe(0o700);
    expect(folders.of(SPACE, 'other', 'pod-1')).toBeUndefined();
    folders.sweep(() => false);
    expect(existsSync(folder)).toBe(true);
    await test.client.delete(persistentVolumeClaims, { name: 'data', namespace: SPACE });
    await test.settle();
    folders.sweep((uid) => uid === 'pod-1');
    expect(existsSync(folder)).toBe(true);
    folders.sweep(() => false);
    expect(existsSync(folder)).toBe(false);
  });
});
