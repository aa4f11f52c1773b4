import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sharedFolder } from '../support/shared-folder.ts';
import { endLocalRay, type LocalRay, startLocalRay } from './support/local-ray.ts';
import { bringToReady } from './support/samples.ts';

/** One that differs from what the other tests run; `npm run samples` takes all that can be had, also those that build packages first. */
const FEW = ['ray-cluster.overwrite-command.yaml'];
const folder = join(sharedFolder(), 'reference/samples');

describe.skipIf(!existsSync(folder))('a sample of KubeRay', () => {
  let ray: LocalRay;
  beforeAll(async () => {
    ray = await startLocalRay();
  });
  afterAll(() => endLocalRay(ray));

  it.each(FEW)('%s comes to its end on this machine', async (file) => {
    await expect(bringToReady(ray, join(folder, file))).resolves.toBeUndefined();
  });
});
