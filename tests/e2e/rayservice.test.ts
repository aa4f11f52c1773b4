import { resources } from '@manta/kube';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endLocalRay, type LocalRay, startLocalRay } from './support/local-ray.ts';
import { create, getText, NAMESPACE, podOf, until, untilObject } from './support/look.ts';
import { serveCode, serveConfig, serveManifest } from './support/serve.ts';

describe('a RayService on real Ray', () => {
  let ray: LocalRay;
  const ref = { namespace: NAMESPACE, name: 'greet' };
  const answer = () => getText(ray, '/api/v1/namespaces/default/services/greet-serve-svc:8000/proxy/');
  const isServing = ({
    status,
  }: {
    readonly status?: { readonly conditions?: readonly { type: string; status: string }[] };
  }) => status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') === true;

  beforeAll(async () => {
    ray = await startLocalRay();
    await create(ray, serveCode);
    await ray.client.create(resources.rayServices, serveManifest('greet', 'hello'));
  });
  afterAll(() => endLocalRay(ray));

  it('becomes ready and answers through its Service', async () => {
    const { status } = await untilObject(ray, resources.rayServices, 'greet', isServing);
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
    await until('the new word', answer, ({ text }) => text === 'goodbye from Serve');
    expect((await podOf(ray, cluster, 'head'))?.metadata?.uid).toBe(head?.metadata?.uid);
    const after = await ray.client.get(resources.rayServices, ref);
    expect(after.status?.activeServiceStatus?.rayClusterName).toBe(cluster);
  });
});
