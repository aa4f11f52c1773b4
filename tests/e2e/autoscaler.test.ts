import { resources } from '@manta/kube';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endLocalRay, type LocalRay, startLocalRay } from './support/local-ray.ts';
import { create, isReady, podOf, podsOf, python, until, untilObject } from './support/look.ts';
import { NO_DASHBOARD, rayCluster, workers } from './support/manifests.ts';

const WORK = `
@ray.remote(num_cpus=1)
def where():
    import socket
    return socket.gethostname()
print(ray.get(where.remote()))`;

describe("Ray's own autoscaler", () => {
  let ray: LocalRay;

  beforeAll(async () => {
    ray = await startLocalRay();
    const more = 'enableInTreeAutoscaling: true, autoscalerOptions: { version: v2, idleTimeoutSeconds: 5 },';
    await create(ray, rayCluster('auto', { groups: [workers('w', 0)], head: `num-cpus: "0", ${NO_DASHBOARD}`, more }));
    await untilObject(ray, resources.rayClusters, 'auto', ({ status }) => status?.state === 'ready');
  });
  afterAll(() => endLocalRay(ray));

  it('makes a worker for a task that needs one, and takes it away when it is idle', async () => {
    const list = () => podsOf(ray, { 'ray.io/cluster': 'auto', 'ray.io/node-type': 'worker' });
    const head = await until('the head', () => podOf(ray, 'auto', 'head'), isReady);
    expect(await list()).toEqual([]);
    const ran = await python(ray, head?.metadata?.name ?? '', WORK);
    expect(ran).toMatch(/^auto-w-worker-/m);
    const left = await until('no worker', list, (pods) => pods.length === 0);
    expect(left).toEqual([]);
    const { spec } = await untilObject(ray, resources.rayClusters, 'auto', ({ status }) => status?.state === 'ready');
    expect(spec?.workerGroupSpecs?.[0]?.replicas).toBe(0);
  });
});
