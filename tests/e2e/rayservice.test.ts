import { resources } from '@manta/kube';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endLocalRay, type LocalRay, startLocalRay } from './support/local-ray.ts';
import { create, getText, NAMESPACE, podOf, until, untilObject } from './support/look.ts';

const CODE = `
apiVersion: v1
kind: ConfigMap
metadata: { name: code }
data:
  greeter.py: |
    from ray import serve

    @serve.deployment(ray_actor_options={"num_cpus": 0.1})
    class Greeter:
        def __init__(self):
            self.word = ""
        def reconfigure(self, config):
            self.word = config["word"]
        async def __call__(self, request):
            return f"{self.word} from Serve"

    app = Greeter.bind()
`;

const serveConfig = (word: string) => `proxy_location: HeadOnly
applications:
  - name: greeter
    import_path: greeter:app
    route_prefix: /
    deployments:
      - name: Greeter
        num_replicas: 1
        user_config: { word: ${word} }
`;

const SERVICE = {
  apiVersion: 'ray.io/v1',
  kind: 'RayService',
  metadata: { name: 'greet', namespace: NAMESPACE },
  spec: {
    serveConfigV2: serveConfig('hello'),
    rayClusterConfig: {
      rayVersion: '2.53.0',
      headGroupSpec: {
        rayStartParams: {},
        template: {
          spec: {
            terminationGracePeriodSeconds: 5,
            containers: [
              {
                name: 'ray-head',
                image: 'rayproject/ray:2.53.0',
                env: [{ name: 'PYTHONPATH', value: '/home/ray/code' }],
                resources: { limits: { cpu: '1', memory: '2Gi' } },
                volumeMounts: [{ name: 'code', mountPath: '/home/ray/code' }],
              },
            ],
            volumes: [{ name: 'code', configMap: { name: 'code' } }],
          },
        },
      },
    },
  },
};

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
    await create(ray, CODE);
    await ray.client.create(resources.rayServices, SERVICE);
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
