import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Pod } from '@manta/api';
import { resources } from '@manta/kube';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endLocalRay, type LocalRay, newFolder, processesOf, startLocalRay } from './support/local-ray.ts';
import { create, isReady, podOf, python, until, untilObject } from './support/look.ts';
import { NO_DASHBOARD, rayCluster } from './support/manifests.ts';

const startOf = (pod: Pod | undefined) => pod?.status?.containerStatuses?.[0]?.state?.running?.startedAt;

describe('an engine and operator that are killed', () => {
  const folder = newFolder();
  let ray: LocalRay;

  beforeAll(async () => {
    ray = await startLocalRay({ folder });
  });
  afterAll(() => endLocalRay(ray));

  it('take every process with them, and start the same pods again when they are started again', async () => {
    await create(ray, rayCluster('a', { head: NO_DASHBOARD }));
    await untilObject(ray, resources.rayClusters, 'a', ({ status }) => status?.state === 'ready');
    const before = await podOf(ray, 'a', 'head');
    await ray.kill();
    const left = async () => processesOf(folder);
    expect(await until('no process', left, (lines) => lines.length === 0)).toEqual([]);

    ray = await startLocalRay({ folder });
    const after = await until(
      'a head that runs again',
      () => podOf(ray, 'a', 'head'),
      (pod) => isReady(pod) && startOf(pod) !== startOf(before),
    );
    expect(await python(ray, after?.metadata?.name ?? '', 'print(len(ray.nodes()))')).toBe('1');
  });

  it('keep no sockets or folders of the one that died', async () => {
    const sockets = readdirSync(folder).filter((name) => name.startsWith('manta-'));
    expect(sockets).toHaveLength(1);
    expect(existsSync(join(folder, 'data', 'pods'))).toBe(true);
    await ray.stop();
    expect(readdirSync(folder).filter((name) => name.startsWith('manta-'))).toEqual([]);
  });
});
