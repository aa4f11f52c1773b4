import { resources } from '@manta/kube';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startLoad } from './support/load.ts';
import { endLocalRay } from './support/local-ray.ts';
import { create, getText, NAMESPACE, podOf, podsOf, until, untilObject } from './support/look.ts';
import { type LocalRayApart, startOperatorApart } from './support/operator-apart.ts';
import { serveCode, serveConfig, serveManifest } from './support/serve.ts';

/** Run with MANTA_IN_PLACE_CHANGES=50 to look for requests that are lost rarely. */
const CHANGES = Number(process.env['MANTA_IN_PLACE_CHANGES'] ?? 5);

describe('a RayService on real Ray, whose operator is killed in the middle of each of these and started again,', () => {
  let ray: LocalRayApart;
  const ref = { namespace: NAMESPACE, name: 'greet' };
  const answer = () => getText(ray, '/api/v1/namespaces/default/services/greet-serve-svc:8000/proxy/');
  const isServing = ({
    status,
  }: {
    readonly status?: { readonly conditions?: readonly { type: string; status: string }[] };
  }) => status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') === true;

  beforeAll(async () => {
    ray = await startOperatorApart();
    await create(ray, serveCode);
    await ray.client.create(resources.rayServices, serveManifest('greet', 'hello'));
  });
  afterAll(() => endLocalRay(ray));

  it('becomes ready and answers through its Service', async () => {
    await until(
      'a head',
      () => podsOf(ray, { 'ray.io/node-type': 'head' }),
      (pods) => pods.length > 0,
    );
    await ray.killOperator();
    const { status } = await untilObject(ray, resources.rayServices, 'greet', isServing);
    expect(await podsOf(ray)).toHaveLength(1);
    expect(status?.activeServiceStatus?.applicationStatuses?.['greeter']?.status).toBe('RUNNING');
    expect(await until('an answer', answer, ({ status: code }) => code === 200)).toMatchObject({
      text: 'hello from Serve',
    });
  });

  it('takes a changed configuration in place, on the same cluster', async () => {
    const { status } = await ray.client.get(resources.rayServices, ref);
    const cluster = status?.activeServiceStatus?.rayClusterName ?? '';
    const head = await podOf(ray, cluster, 'head');
    const body = { spec: { serveConfigV2: serveConfig('goodbye') } };
    await ray.client.patch(resources.rayServices, ref, { type: 'merge', body });
    await ray.killOperator();
    await until('the new word', answer, ({ text }) => text === 'goodbye from Serve');
    expect((await podOf(ray, cluster, 'head'))?.metadata?.uid).toBe(head?.metadata?.uid);
    const after = await ray.client.get(resources.rayServices, ref);
    expect(after.status?.activeServiceStatus?.rayClusterName).toBe(cluster);
  });

  it(`answers every request during ${CHANGES} changes of user_config`, async () => {
    const load = startLoad(ray, '/api/v1/namespaces/default/services/greet-serve-svc:8000/proxy/');
    for (let change = 1; change <= CHANGES; change += 1) {
      const body = { spec: { serveConfigV2: serveConfig(`word-${change}`) } };
      await ray.client.patch(resources.rayServices, ref, { type: 'merge', body });
      await until(`answer ${change}`, answer, ({ text }) => text === `word-${change} from Serve`);
    }
    await load.stop();
    expect(load.lost).toEqual([]);
    expect(load.answered()).toBeGreaterThan(CHANGES);
  });

  it('goes on to the cluster that was begun for another version of it, and the old one goes', async () => {
    const { spec } = serveManifest('greet', 'goodbye');
    const body = { spec: { rayClusterConfig: { ...spec.rayClusterConfig, rayVersion: '2.54.0' } } };
    await ray.client.patch(resources.rayServices, ref, { type: 'merge', body });
    const { status: during } = await untilObject(
      ray,
      resources.rayServices,
      'greet',
      ({ status }) => (status?.pendingServiceStatus?.rayClusterName ?? '') !== '',
    );
    const [before, next] = [during?.activeServiceStatus?.rayClusterName, during?.pendingServiceStatus?.rayClusterName];
    await ray.killOperator();
    const { status } = await untilObject(
      ray,
      resources.rayServices,
      'greet',
      ({ status: now }) => ![undefined, '', before].includes(now?.activeServiceStatus?.rayClusterName),
    );
    expect(status?.activeServiceStatus?.rayClusterName).toBe(next);
    const clusters = async () => (await ray.client.list(resources.rayClusters, { namespace: NAMESPACE })).items;
    const [left] = await until('one cluster', clusters, (all) => all.length === 1);
    expect(left?.metadata?.name).toBe(next);
  });
});
