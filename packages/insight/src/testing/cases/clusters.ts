import { ago, cluster, event, NAMESPACE, pod, readyPod, recorded, seen } from '../recorded-world.ts';
import { allReady, condition, type WhyCase, withoutPods } from './case.ts';

const refused = (message: string) =>
  withoutPods({ conditions: [condition('ReplicaFailure', 'True', 'FailedCreateHeadPod', message)] });
const forbidden = 'pods "demo-head" is forbidden';
const demand = (CPU: number) =>
  new Map([[`${NAMESPACE}/demo`, { demand: { used: {}, pending: [{ resources: { CPU }, count: 3 }] } }]]);
const scaled = (max: number) =>
  cluster({
    spec: {
      enableInTreeAutoscaling: true,
      headGroupSpec: { template: {}, rayStartParams: { 'num-cpus': '0' } },
      workerGroupSpecs: [
        {
          groupName: 'gpu',
          replicas: 2,
          minReplicas: 0,
          maxReplicas: max,
          rayStartParams: { 'num-cpus': '4' },
          template: {},
        },
      ],
    },
  });

/** What the API server refuses the operator, and what a RayCluster itself says. */
export const CLUSTER_CASES: readonly WhyCase[] = [
  {
    code: 'QuotaExceeded',
    title: 'a quota that is used up',
    world: refused(`${forbidden}: exceeded quota: compute, requested: cpu=8, used: cpu=6, limited: cpu=10`),
    sentence:
      'ResourceQuota compute has no room for the pods of RayCluster/demo: requested cpu=8, used cpu=6, limit cpu=10',
  },
  {
    code: 'QuotaExceeded',
    title: 'a quota that wants limits',
    world: refused(`${forbidden}: failed quota: compute: must specify limits.cpu for: ray-head`),
    sentence: 'ResourceQuota compute wants every pod of RayCluster/demo to specify limits.cpu for: ray-head',
  },
  {
    code: 'PodSecurity',
    title: 'a restricted namespace',
    world: refused(`${forbidden}: violates PodSecurity "restricted:latest": allowPrivilegeEscalation != false`),
    sentence:
      "the namespace's Pod Security level restricted:latest forbids the pods of RayCluster/demo: allowPrivilegeEscalation != false",
  },
  {
    code: 'LimitRange',
    title: 'a LimitRange',
    world: refused(`${forbidden}: maximum memory usage per Container is 4Gi, but limit is 8Gi`),
    sentence:
      'a LimitRange allows a maximum of 4Gi memory per Container in the pods of RayCluster/demo, but limit is 8Gi',
  },
  {
    code: 'WebhookUnavailable',
    title: 'a webhook that is down',
    world: refused('Internal error occurred: failed calling webhook "policy.example.com": connection refused'),
    sentence:
      'admission webhook policy.example.com does not answer, so the API server refuses the objects of RayCluster/demo: connection refused',
  },
  {
    code: 'AdmissionDenied',
    title: 'a policy',
    world: refused('admission webhook "policy.example.com" denied the request: image must come from registry.corp'),
    sentence:
      'admission webhook policy.example.com refused an object of RayCluster/demo: image must come from registry.corp',
  },
  {
    code: 'MissingServiceAccount',
    title: 'a ServiceAccount',
    world: refused(`${forbidden}: error looking up service account team-a/trainer: serviceaccount "trainer" not found`),
    sentence: 'the pods of RayCluster/demo need ServiceAccount trainer, which does not exist',
  },
  {
    code: 'MissingPriorityClass',
    title: 'a PriorityClass',
    world: refused(`${forbidden}: no PriorityClass with name high was found`),
    sentence: 'the pods of RayCluster/demo need PriorityClass high, which does not exist',
  },
  {
    code: 'NamespaceTerminating',
    title: 'a deleted namespace',
    world: refused(`${forbidden}: unable to create new content in namespace team-a because it is being terminated`),
    sentence: 'the namespace of RayCluster/demo is being deleted',
  },
  {
    code: 'PermissionMissing',
    title: 'a verb that the operator lacks, by a refusal',
    world: refused(
      'pods is forbidden: User "system:serviceaccount:ray:op" cannot create resource "pods" in API group ""',
    ),
    sentence: 'the operator may not create pods, which RayCluster/demo needs',
  },
  {
    code: 'PermissionMissing',
    title: 'a verb that the operator lacks, by the condition',
    world: withoutPods({
      conditions: [
        condition(
          'PermissionMissing',
          'True',
          'Forbidden',
          'The operator may not create pods in namespace team-a. Bind it to the role that "manta rbac" prints, or add the rule to its role.',
        ),
      ],
    }),
    sentence: 'the operator may not create pods in namespace team-a, which RayCluster/demo needs',
  },
  {
    code: 'InvalidPod',
    title: 'a field that the API server refuses',
    world: refused('Pod "demo-head" is invalid: spec.containers[0].ports[0].name: Invalid value: "UPPER"'),
    sentence:
      'the API server refuses Pod demo-head as invalid: spec.containers[0].ports[0].name: Invalid value: "UPPER"',
  },
  {
    code: 'CreateRefused',
    title: 'another refusal',
    world: withoutPods(
      {},
      {
        events: seen(
          event(
            'RayCluster',
            'demo',
            'FailedToCreateService',
            'Failed to create service team-a/demo-head-svc, provided IP is already allocated',
          ),
        ),
      },
    ),
    sentence:
      'the API server refused an object of RayCluster/demo: Failed to create service team-a/demo-head-svc, provided IP is already allocated',
  },
  {
    code: 'InvalidSpec',
    title: 'a spec that the operator refuses',
    world: withoutPods(
      {},
      {
        events: seen(
          event(
            'RayCluster',
            'demo',
            'InvalidRayClusterSpec',
            'The RayCluster spec is invalid team-a/demo: headGroupSpec should have at least one container',
          ),
        ),
      },
    ),
    sentence: 'the operator refuses RayCluster/demo: headGroupSpec should have at least one container',
  },
  {
    code: 'Suspended',
    title: 'suspend: true',
    world: recorded({ rayClusters: seen(cluster({ spec: { headGroupSpec: { template: {} }, suspend: true } })) }),
    sentence: 'RayCluster/demo is suspended: it has no pods on purpose',
  },
  {
    code: 'Queued',
    title: 'a full Kueue queue',
    world: recorded({
      rayClusters: seen(
        cluster({
          metadata: { labels: { 'kueue.x-k8s.io/queue-name': 'gpu' } },
          spec: { headGroupSpec: { template: {} }, suspend: true },
        }),
      ),
      workloads: seen({
        metadata: {
          name: 'raycluster-demo',
          ownerReferences: [{ apiVersion: 'ray.io/v1', kind: 'RayCluster', name: 'demo', uid: 'uid-demo' }],
        },
        status: {
          conditions: [
            { type: 'QuotaReserved', status: 'False', message: 'insufficient unused quota for nvidia.com/gpu' },
          ],
        },
      }),
    }),
    sentence: "RayCluster/demo waits in Kueue's queue gpu: insufficient unused quota for nvidia.com/gpu",
  },
  {
    code: 'ManagedExternally',
    title: 'MultiKueue',
    world: recorded({
      rayClusters: seen(cluster({ spec: { headGroupSpec: { template: {} }, managedBy: 'kueue.x-k8s.io/multikueue' } })),
    }),
    sentence: 'RayCluster/demo is managed by kueue.x-k8s.io/multikueue, not by the Ray operator of this cluster',
  },
  {
    code: 'NoOperator',
    title: 'no operator',
    world: recorded({
      rayClusters: seen({
        metadata: { name: 'demo', namespace: NAMESPACE, creationTimestamp: ago(300) },
        spec: { headGroupSpec: { template: {} } },
      }),
    }),
    sentence: 'no operator has looked at RayCluster/demo: it has no status and no events',
  },
  {
    code: 'OperatorBehind',
    title: 'an operator that stopped',
    world: recorded({
      ...allReady(),
      rayClusters: seen(cluster({ metadata: { generation: 3 }, status: { observedGeneration: 2 } })),
    }),
    sentence: 'the operator has not looked at the latest change of RayCluster/demo',
  },
  {
    code: 'DeletionBlocked',
    title: 'a finalizer',
    world: recorded({
      rayClusters: seen(
        cluster({ metadata: { deletionTimestamp: ago(300), finalizers: ['ray.io/gcs-ft-redis-cleanup-finalizer'] } }),
      ),
    }),
    sentence: 'RayCluster/demo is being deleted; finalizer ray.io/gcs-ft-redis-cleanup-finalizer keeps it',
  },
  {
    code: 'WorkersNotRejoined',
    title: 'workers of a lost head',
    world: recorded({
      ...allReady(),
      rayClusters: seen(
        cluster({
          status: {
            conditions: [condition('WorkersRejoined', 'False', 'WorkersNotRejoined', '2 of 2 workers have not joined')],
          },
        }),
      ),
    }),
    sentence: 'workers of RayCluster/demo have not joined its new head: 2 of 2 workers have not joined',
  },
  {
    code: 'CertificatesNotReady',
    title: 'no certificates',
    world: withoutPods(
      {},
      { events: seen(event('RayCluster', 'demo', 'MTLSCertsNotReady', 'Waiting for Certificate demo-head-cert')) },
    ),
    sentence: 'the certificates of RayCluster/demo are not ready: Waiting for Certificate demo-head-cert',
  },
  {
    code: 'AutoscalerAtMaximum',
    title: 'a demand above maxReplicas',
    world: recorded({ ...allReady(), rayClusters: seen(scaled(2)), ray: demand(4) }),
    sentence: 'Ray waits for 3 × {CPU: 4}, and all worker groups of RayCluster/demo are at maxReplicas',
  },
  {
    code: 'DemandNeverFits',
    title: 'a task that fits no worker',
    world: recorded({ ...allReady(), rayClusters: seen(scaled(9)), ray: demand(16) }),
    sentence: 'Ray asks for {CPU: 16} at once, and no group of RayCluster/demo has pods that large',
  },
  {
    code: 'PodsNotCreated',
    title: 'no pods and no word',
    world: withoutPods({}),
    sentence: 'the operator has not created its head pod of RayCluster/demo',
  },
  {
    code: 'Unknown',
    title: 'missing workers and a reader who may not list pods',
    world: withoutPods(
      {
        conditions: [condition('HeadPodReady', 'True', 'HeadPodRunningAndReady')],
        readyWorkerReplicas: 1,
        availableWorkerReplicas: 2,
      },
      { pods: { kind: 'unreadable', right: 'list pods in namespace team-a' } },
    ),
    sentence: '1 of 2 workers of RayCluster/demo are ready, and its pods cannot be read',
  },
  {
    code: 'HeadNotReady',
    title: 'a reader who may not list pods',
    world: withoutPods(
      { conditions: [condition('HeadPodReady', 'False', 'ErrImagePull', 'ray-head: manifest unknown')] },
      { pods: { kind: 'unreadable', right: 'list pods in namespace team-a' } },
    ),
    sentence: 'the head pod of RayCluster/demo is not ready: ErrImagePull: ray-head: manifest unknown',
  },
  {
    code: 'ImageNotFound',
    title: 'a head that explains why workers wait',
    world: recorded({
      rayClusters: seen(cluster()),
      pods: seen(
        pod(
          'demo-w1',
          {
            status: {
              phase: 'Pending',
              initContainerStatuses: [
                {
                  name: 'wait-gcs-ready',
                  image: '',
                  imageID: '',
                  ready: false,
                  restartCount: 0,
                  state: { running: {} },
                },
              ],
            },
            spec: { nodeName: 'n', containers: [] },
          },
          'demo',
          'worker',
        ),
        pod('demo-head', {
          status: {
            phase: 'Pending',
            containerStatuses: [
              {
                name: 'ray-head',
                image: 'x:y',
                imageID: '',
                ready: false,
                restartCount: 0,
                state: { waiting: { reason: 'ErrImagePull', message: 'not found' } },
              },
            ],
          },
        }),
        readyPod('demo-w2', 'demo', 'worker'),
      ),
    }),
    sentence: 'Pod/demo-head cannot pull image x:y: the registry has no such image',
  },
];
