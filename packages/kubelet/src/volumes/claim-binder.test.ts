import { expect, it } from 'vitest';
import { persistentVolumeClaims } from '@manta/controllers';
import { SPACE, startTestCluster } from '@manta/controllers/testing';
import { volumeProtection } from '../../../controllers/src/volume/volume-protection.ts';
import { claimBinder, livingClaims } from './claim-binder.ts';

it('a claim is bound with what it asks for, and its end is told', async () => {
  const test = await startTestCluster();
  let gone = 0;
  test.start(volumeProtection, (cluster) => claimBinder(cluster, () => (gone += 1)));
  const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
  const { metadata } = await test.create(persistentVolumeClaims, 'data', { spec });
  await test.settle();
  expect(test.get(persistentVolumeClaims, 'data').status).toEqual({
    phase: 'Bound',
    accessModes: ['ReadWriteOnce'],
    capacity: { storage: '1Gi' },
  });
  expect([...livingClaims(test.cluster)]).toEqual([metadata.uid]);
  expect(gone).toBe(0);
  await test.client.delete(persistentVolumeClaims, { name: 'data', namespace: SPACE });
  await test.settle();
  expect([gone, livingClaims(test.cluster).size, test.errors]).toEqual([1, 0, []]);
});
