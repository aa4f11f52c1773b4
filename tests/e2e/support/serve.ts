import { NAMESPACE } from './look.ts';

/** The program of a small Serve application, in a ConfigMap. */
export const serveCode = `
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

/** What Serve is told: the application says this word. */
export const serveConfig = (word: string) => `proxy_location: HeadOnly
applications:
  - name: greeter
    import_path: greeter:app
    route_prefix: /
    deployments:
      - name: Greeter
        num_replicas: 1
        user_config: { word: ${word} }
`;

/** A RayService with a head alone, whose application says this word. */
export const serveManifest = (name: string, word: string) => ({
  apiVersion: 'ray.io/v1',
  kind: 'RayService',
  metadata: { name, namespace: NAMESPACE },
  spec: {
    serveConfigV2: serveConfig(word),
    rayClusterDeletionDelaySeconds: 1,
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
});
