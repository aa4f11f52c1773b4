import type { KubeObject, RayCluster, RayJob, RayService } from '@manta/api';
import { rayClusterSpec, workerGroup } from '@manta/api/testing';
import { buildRoute, type Route, schedulerOf } from '@manta/plan';
import { alignGateway, buildGateway } from '../../packages/plan/src/build/gateway.ts';
import { alignHttpRoute, buildHttpRoute } from '../../packages/plan/src/build/http-route.ts';
import { alignRoute } from '../../packages/plan/src/build/route.ts';
import * as pki from '../../packages/plan/src/mtls/cert-manager.ts';
import { gangOf } from '../../packages/plan/src/scheduling/gang.ts';
import type { BatchSchedulerName, GangOwner, GangRecord } from '../../packages/plan/src/scheduling/scheduler.ts';
import { buildContext } from '../../packages/plan/src/testing/build-context.ts';

/** An object of somebody else's kind, as we make it, and whether we would change what a server has made of it. */
export interface OthersObject {
  readonly object: KubeObject;
  readonly isLeftAlone: (live: KubeObject) => boolean;
}

const spec = rayClusterSpec({
  enableInTreeAutoscaling: true,
  workerGroupSpecs: [workerGroup('small', { replicas: 3 })],
});
const NAMESPACE = 'default';

const metadata = { name: 'demo', namespace: NAMESPACE, uid: '7b0a7b1e-0000-4000-8000-000000000001' };

function cluster(labels: Readonly<Record<string, string>> = {}): RayCluster {
  return { kind: 'RayCluster', metadata: { ...metadata, labels }, spec };
}

const job: RayJob = { kind: 'RayJob', metadata, spec: { entrypoint: 'true', rayClusterSpec: spec } };
const service: RayService = { kind: 'RayService', metadata, spec: { rayClusterConfig: spec } };

function gangObject(scheduler: BatchSchedulerName, owner: GangOwner, isWanted = true): OthersObject {
  const gang = gangOf(owner, cluster(owner.object.metadata?.labels), spec, buildContext());
  const plan = (seen: readonly GangRecord[]) =>
    schedulerOf({ batchScheduler: scheduler })?.plan(gang, seen, isWanted) ?? [];
  const [create] = plan([]);
  if (create?.type !== 'create') throw new Error(`${scheduler} makes nothing`);
  const [object] = create.objects;
  const kind = create.kind as GangRecord['kind'];
  return { object: object as KubeObject, isLeftAlone: (live) => plan([{ kind, object: live }]).length === 0 };
}

const gang = { 'ray.io/gang-scheduling-enabled': 'true' };
const queued = { ...gang, 'volcano.sh/queue-name': 'team', 'ray.io/priority-class-name': 'high' };
const near = { 'volcano.sh/network-topology-mode': 'hard', 'volcano.sh/network-topology-highest-tier-allowed': '2' };
const gateway = buildGateway(service, 'manta');
const backends = ['old', 'new'].map((name, index) => ({
  service: `${name}-serve-svc`,
  port: 8000,
  weight: 80 - 60 * index,
}));
const httpRoute = buildHttpRoute(service, backends);
const ingressed = { ...spec, headGroupSpec: { ...spec.headGroupSpec, enableIngress: true } };
const route = buildRoute({ ...cluster(), spec: ingressed }, ingressed) as Route;
const names = {
  dnsNames: ['demo-head-svc.default.svc.cluster.local', 'localhost'],
  ipAddresses: ['10.0.0.7', '127.0.0.1'],
};
/** It is made once, or compared by what is named in it alone. */
const once = (object: KubeObject): OthersObject => ({ object, isLeftAlone: () => true });

/** Everything that we make of kinds that neither Kubernetes nor we define. */
export const OTHERS_OBJECTS: Readonly<Record<string, OthersObject>> = {
  "Volcano's PodGroup": gangObject('volcano', { kind: 'RayCluster', object: cluster(gang) }),
  "Volcano's PodGroup with a queue, a priority and a place in the network": gangObject('volcano', {
    kind: 'RayCluster',
    object: cluster({ ...queued, ...near }),
  }),
  "Volcano's PodGroup with half a place in the network": gangObject('volcano', {
    kind: 'RayCluster',
    object: cluster({ ...gang, 'volcano.sh/network-topology-mode': 'soft' }),
  }),
  "Volcano's PodGroup of a job": gangObject('volcano', { kind: 'RayJob', object: job }),
  "Volcano's PodGroup of a job that is suspended": gangObject('volcano', { kind: 'RayJob', object: job }, false),
  "scheduler-plugins' PodGroup": gangObject('scheduler-plugins', { kind: 'RayCluster', object: cluster(gang) }),
  'a Gateway': { object: gateway, isLeftAlone: (live) => alignGateway(live, gateway) === undefined },
  'an HTTPRoute': { object: httpRoute, isLeftAlone: (live) => alignHttpRoute(live, httpRoute) === undefined },
  'a Route of OpenShift': { object: route, isLeftAlone: (live) => alignRoute(live as Route, route) === undefined },
  'an Issuer that signs itself': once(pki.buildSelfSignedIssuer(cluster())),
  'the Issuer of an authority': once(pki.buildAuthorityIssuer(cluster())),
  'the Certificate of an authority': once(pki.buildAuthority(cluster())),
  'the Certificate of a head': once(pki.buildHeadCertificate(cluster(), names)),
  'the Certificate of workers': once(pki.buildWorkerCertificate(cluster(), { ...names, dnsNames: ['localhost'] })),
};
