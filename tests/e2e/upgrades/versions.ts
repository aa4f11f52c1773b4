import type { RayService } from '@manta/api';
import { NAMESPACE } from '../support/look.ts';

export const SERVICE = 'shop';
/** The Gateway that the operator makes for it where the strategy is incremental, as the router takes it for a host. */
export const OWN_HOST = `${SERVICE}-gateway.${NAMESPACE}`;
/** A Gateway of the user's own, with a route to the serve Service. */
export const STABLE_HOST = `stable.${NAMESPACE}`;

/** How a version is broken. */
export const Break = {
  /** Its code cannot be loaded. */
  Import: 'import',
  /** Its replicas die as they start. */
  Start: 'start',
  /** Its replicas start and say that they are not well. */
  Health: 'health',
  /** Its head's image is not to be had. */
  Image: 'image',
  /** Its configuration names an application that is not there. */
  Config: 'config',
} as const;
export type Break = (typeof Break)[keyof typeof Break];

export type Strategy = 'NewCluster' | 'NewClusterWithIncrementalUpgrade';

export interface Version {
  readonly name: string;
  readonly strategy: Strategy;
  readonly broken?: Break | undefined;
}

/** What is there before the service: its code, and a way in that a user would make. */
export const BESIDE = `
apiVersion: v1
kind: ConfigMap
metadata: { name: shop-code }
data:
  shop.py: |
    import os
    from ray import serve

    VERSION, BROKEN = os.environ["VERSION"], os.environ["BROKEN"]
    if BROKEN == "import":
        raise ImportError("this version cannot be loaded")

    @serve.deployment(ray_actor_options={"num_cpus": 0.1}, max_ongoing_requests=100, health_check_period_s=1)
    class Shop:
        def __init__(self):
            if BROKEN == "start":
                raise RuntimeError("this version does not start")
        def check_health(self):
            if BROKEN == "health":
                raise RuntimeError("this version is not well")
        async def __call__(self, request):
            return VERSION

    app = Shop.bind()
---
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: { name: stable }
spec: { gatewayClassName: manta, listeners: [{ name: http, protocol: HTTP, port: 80 }] }
---
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: { name: stable }
spec:
  parentRefs: [{ name: stable }]
  rules: [{ backendRefs: [{ name: ${SERVICE}-serve-svc, port: 8000 }] }]
`;

const IMAGE = 'rayproject/ray:2.53.0';

/** The service at a version: all of its cluster is on one head, which is what two of them leave room for on a small machine. */
export function serviceAt(version: Version, deadline: string): RayService {
  return {
    apiVersion: 'ray.io/v1',
    kind: 'RayService',
    metadata: {
      name: SERVICE,
      namespace: NAMESPACE,
      annotations: { 'ray.io/upgrade-progress-deadline': deadline },
    },
    spec: specOf(version),
  };
}

/** The spec of a version. */
export function specOf({ name, strategy, broken }: Version): NonNullable<RayService['spec']> {
  const options = { gatewayClassName: 'manta', stepSizePercent: 25, intervalSeconds: 1, maxSurgePercent: 100 };
  const module = broken === Break.Config ? 'nowhere' : 'shop';
  return {
    upgradeStrategy: {
      type: strategy,
      ...(strategy === 'NewCluster' ? {} : { clusterUpgradeOptions: options }),
    },
    rayClusterDeletionDelaySeconds: 3,
    serveConfigV2: `proxy_location: HeadOnly
applications:
  - name: shop
    import_path: ${module}:app
    route_prefix: /
`,
    rayClusterConfig: {
      rayVersion: '2.53.0',
      enableInTreeAutoscaling: true,
      headGroupSpec: {
        rayStartParams: { 'num-cpus': '1' },
        template: { spec: headPod(name, broken) },
      },
      // Ray's autoscaler, which upgrades in steps need, fails where there is none.
      workerGroupSpecs: [
        { groupName: 'none', replicas: 0, minReplicas: 0, maxReplicas: 1, rayStartParams: {}, template: WORKER },
      ],
    },
  };
}

const LIMITS = { limits: { cpu: '1', memory: '2Gi' } };
const WORKER = { spec: { containers: [{ name: 'ray-worker', image: IMAGE, resources: LIMITS }] } };

function headPod(version: string, broken: Break | undefined) {
  // The usual probes begin after ten seconds; this many upgrades have no time for that.
  const probe = { httpGet: { path: '/api/version', port: 8265 }, periodSeconds: 1, failureThreshold: 60 };
  return {
    terminationGracePeriodSeconds: 5,
    containers: [
      {
        name: 'ray-head',
        image: broken === Break.Image ? 'example.com/nobody/has/this:1' : IMAGE,
        env: [
          { name: 'PYTHONPATH', value: '/home/ray/code' },
          { name: 'VERSION', value: version },
          { name: 'BROKEN', value: broken ?? '' },
        ],
        resources: LIMITS,
        readinessProbe: probe,
        volumeMounts: [{ name: 'code', mountPath: '/home/ray/code' }],
      },
    ],
    volumes: [{ name: 'code', configMap: { name: 'shop-code' } }],
  };
}
