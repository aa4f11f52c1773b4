import { resources } from '@manta/kube';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endLocalRay, type LocalRay, startLocalRay } from './support/local-ray.ts';
import { create, isReady, NAMESPACE, podOf, podsOf, python, until, untilObject } from './support/look.ts';
import { NO_DASHBOARD, rayCluster, workers } from './support/manifests.ts';

/** Two that must be there at once, each with a CPU of its own. */
const WORK = `
@ray.remote(num_cpus=1)
class Here:
    def host(self):
        import socket
        return socket.gethostname()
both = [Here.remote() for _ in range(2)]
print(len(set(ray.get([each.host.remote() for each in both]))))`;

describe.each(['v1', 'v2'])("Ray's own autoscaler, %s", (version) => {
  const cluster = `auto-${version}`;

  beforeAll(async () => {
    const options = `autoscalerOptions: { version: ${version}, idleTimeoutSeconds: 5 }`;
    const more = `enableInTreeAutoscaling: true, ${options},`;
    await create(ray, rayCluster(cluster, { groups: [workers('w', 0)], head: `num-cpus: "0", ${NO_DASHBOARD}`, more }));
    await untilObject(ray, resources.rayClusters, cluster, ({ status }) => status?.state === 'ready');
  });
  afterAll(() => ray.client.delete(resources.rayClusters, { namespace: NAMESPACE, name: cluster }));

  it('makes two workers for work that needs them, and takes them away when they are idle', async () => {
    const list = () => podsOf(ray, { 'ray.io/cluster': cluster, 'ray.io/node-type': 'worker' });
    const head = await until('the head', () => podOf(ray, cluster, 'head'), isReady);
    expect(await list()).toEqual([]);
    const said = await python(ray, head?.metadata?.name ?? '', WORK);
    expect(said.split('\n').at(-1)).toBe('2');
    const left = await until('no worker', list, (pods) => pods.length === 0);
    expect(left).toEqual([]);
    const { spec } = await untilObject(ray, resources.rayClusters, cluster, ({ status }) => status?.state === 'ready');
    expect(spec?.workerGroupSpecs?.[0]?.replicas).toBe(0);
  });
});

let ray: LocalRay;
beforeAll(async () => {
  ray = await startLocalRay();
});
afterAll(() => endLocalRay(ray));
