import type { Pod } from '@manta/api';
import { resources } from '@manta/kube';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endLocalRay } from './support/local-ray.ts';
import { create, isReady, podOf, podsOf, python, until, untilObject } from './support/look.ts';
import { NO_DASHBOARD, rayCluster, workers } from './support/manifests.ts';
import { type LocalRayApart, startOperatorApart } from './support/operator-apart.ts';

/** Two that must be there at once, each with a CPU of its own. */
const WORK = `
@ray.remote(num_cpus=1)
class Here:
    def node(self):
        return ray.get_runtime_context().get_node_id()
both = [Here.remote() for _ in range(2)]
print(len(set(ray.get([each.node.remote() for each in both]))))`;

describe.each(['v1', 'v2'])("Ray's own autoscaler, %s, with an operator that dies twice,", (version) => {
  let ray: LocalRayApart;
  const list = () => podsOf(ray, { 'ray.io/cluster': 'a', 'ray.io/node-type': 'worker' });

  beforeAll(async () => {
    ray = await startOperatorApart();
    const autoscaler = `autoscalerOptions: { version: ${version}, idleTimeoutSeconds: 5 }`;
    const more = `enableInTreeAutoscaling: true, ${autoscaler},`;
    await create(ray, rayCluster('a', { groups: [workers('w', 0)], head: `num-cpus: "0", ${NO_DASHBOARD}`, more }));
    await untilObject(ray, resources.rayClusters, 'a', ({ status }) => status?.state === 'ready');
  });
  afterAll(() => endLocalRay(ray));

  it('makes two workers for work that needs them, and takes them away when they are idle', async () => {
    const head = await until('the head', () => podOf(ray, 'a', 'head'), isReady);
    expect(await list()).toEqual([]);
    const work = python(ray, head?.metadata?.name ?? '', WORK);
    await until('a worker', list, (pods) => pods.length > 0);
    await ray.killOperator();
    const said = await work;
    expect(said).toBe('2');
    const isLess = (pods: readonly Pod[]) =>
      pods.length < 2 || pods.some(({ metadata }) => metadata?.deletionTimestamp !== undefined);
    await until('one worker less', list, isLess);
    await ray.killOperator();
    const left = await until('no worker', list, (pods) => pods.length === 0);
    expect(left).toEqual([]);
    const { spec } = await untilObject(ray, resources.rayClusters, 'a', ({ status }) => status?.state === 'ready');
    expect(spec?.workerGroupSpecs?.[0]?.replicas).toBe(0);
  });
});
