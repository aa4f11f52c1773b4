import { resources } from '@manta/kube';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { endLocalRay, type LocalRay, startLocalRay } from './support/local-ray.ts';
import { create, exec, NAMESPACE, podOf, podsOf, python, until, untilObject } from './support/look.ts';
import { NO_DASHBOARD, rayCluster, workers } from './support/manifests.ts';

/** Only the worker has a CPU, so that the task runs there; a task that is lost is not tried again. */
const WORK = `
@ray.remote(num_cpus=1, max_retries=0)
def work():
  import time
  open("/tmp/work-has-begun", "w").close()
  time.sleep(5)
  return "all of it"
print(ray.get(work.remote()))`;
const DEAD = 'print([(n["DeathReason"], n["DeathReasonMessage"]) for n in ray.nodes() if not n["Alive"]])';

let ray: LocalRay;
beforeAll(async () => {
  ray = await startLocalRay();
  const group = workers('one').replace('terminationGracePeriodSeconds: 5, ', '');
  const cluster = rayCluster('a', { groups: [group], head: `${NO_DASHBOARD}, num-cpus: "0"` });
  await create(ray, cluster.replace('name: a', 'name: a, annotations: { ray.io/worker-drain-seconds: "30" }'));
  await untilObject(ray, resources.rayClusters, 'a', ({ status }) => status?.state === 'ready');
});
afterAll(() => endLocalRay(ray));

it('a worker that is deleted finishes its work first, and Ray has it down as drained', async () => {
  const [worker] = await podsOf(ray, { 'ray.io/cluster': 'a', 'ray.io/group': 'one' });
  const head = (await podOf(ray, 'a', 'head'))?.metadata?.name ?? '';
  const name = worker?.metadata?.name ?? '';
  const result = python(ray, head, WORK);
  await until(
    'the beginning of the work',
    () => exec(ray, name, ['ls', '/tmp/work-has-begun']),
    (found) => found !== '',
  );
  await ray.client.delete(resources.pods, { namespace: NAMESPACE, name });
  expect(await result).toBe('all of it');
  const dead = await until(
    'the end of the node',
    () => python(ray, head, DEAD),
    (nodes) => nodes !== '[]',
  );
  expect(dead).toContain('The Pod is being deleted');
});
