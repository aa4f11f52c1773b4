import { ago } from './clock.ts';
import { clusterSpec, condition, type DemoObject, podOf } from './builders.ts';

const SEARCH = 'team-search';

const application = (status: string, message = '') => ({
  status,
  message,
  serveDeploymentStatuses: {
    Ingress: { status: 'HEALTHY', message: '' },
    Model: { status: status === 'RUNNING' ? 'HEALTHY' : 'UPDATING', message },
  },
});

const cluster = (name: string, of: string, ageSeconds: number): DemoObject => ({
  kind: 'RayCluster',
  ageSeconds,
  owner: `RayService/${SEARCH}/${of}`,
  metadata: {
    name,
    namespace: SEARCH,
    labels: { 'ray.io/originated-from-cr-name': of, 'ray.io/originated-from-crd': 'RayService' },
  },
  spec: clusterSpec([{ name: 'gpu', replicas: 2, gpus: 1 }]),
  status: {
    state: 'ready',
    readyWorkerReplicas: 2,
    availableWorkerReplicas: 2,
    desiredWorkerReplicas: 2,
    desiredCPU: '24',
    desiredMemory: '48Gi',
    desiredGPU: '2',
    observedGeneration: 1,
    conditions: [condition('HeadPodReady', 'True', 'HeadPodRunningAndReady', '', ageSeconds - 40)],
  },
});

const podsOf = (name: string, ageSeconds: number) => [
  podOf(SEARCH, { cluster: name, name: `${name}-head-v2b4n`, group: 'headgroup', ageSeconds, node: 'node-a' }),
  podOf(SEARCH, { cluster: name, name: `${name}-gpu-worker-s3d5f`, group: 'gpu', ageSeconds, node: 'node-b', gpus: 1 }),
  podOf(SEARCH, { cluster: name, name: `${name}-gpu-worker-t6g8h`, group: 'gpu', ageSeconds, node: 'node-c', gpus: 1 }),
];

const service = (name: string, ageSeconds: number, spec: object, status: object): DemoObject => ({
  kind: 'RayService',
  ageSeconds,
  metadata: { name, namespace: SEARCH, annotations: { 'ray.io/upgrade-progress-deadline': '15m' } },
  spec: {
    serveConfigV2: 'applications:\n  - name: chat\n    import_path: chat:app\n',
    rayClusterConfig: clusterSpec([{ name: 'gpu', replicas: 2, gpus: 1 }]),
    ...spec,
  },
  status,
});

export const SERVICES: readonly DemoObject[] = [
  service(
    'llm-chat',
    432_000,
    {
      upgradeStrategy: {
        type: 'NewClusterWithIncrementalUpgrade',
        clusterUpgradeOptions: {
          gatewayClassName: 'manta',
          stepSizePercent: 25,
          intervalSeconds: 60,
          maxSurgePercent: 50,
        },
      },
    },
    {
      numServeEndpoints: 4,
      serviceStatus: 'Running',
      observedGeneration: 1,
      conditions: [
        condition(
          'UpgradeInProgress',
          'True',
          'BothActivePendingClustersExist',
          'Both active and pending Ray clusters exist',
          240,
        ),
        condition('Ready', 'True', 'NonZeroServeEndpoints', 'Number of serve endpoints is greater than 0', 431_000),
      ],
      activeServiceStatus: {
        rayClusterName: 'llm-chat-9x2kd',
        applicationStatuses: { chat: application('RUNNING'), embed: application('RUNNING') },
        targetCapacity: 50,
        trafficRoutedPercent: 100,
        lastTrafficMigratedTime: ago(230),
      },
      pendingServiceStatus: {
        rayClusterName: 'llm-chat-4pd7q',
        applicationStatuses: {
          chat: application('RUNNING'),
          embed: application('DEPLOYING', 'Deploying 1 of 2 replicas'),
        },
        targetCapacity: 100,
        trafficRoutedPercent: 0,
        lastTrafficMigratedTime: ago(230),
      },
    },
  ),
  service(
    'ranker',
    1_209_600,
    {},
    {
      numServeEndpoints: 2,
      serviceStatus: 'Running',
      observedGeneration: 1,
      conditions: [
        condition('Ready', 'True', 'NonZeroServeEndpoints', 'Number of serve endpoints is greater than 0', 1_209_000),
      ],
      activeServiceStatus: { rayClusterName: 'ranker-k3m9s', applicationStatuses: { rank: application('RUNNING') } },
    },
  ),
  cluster('llm-chat-9x2kd', 'llm-chat', 432_000),
  cluster('llm-chat-4pd7q', 'llm-chat', 240),
  cluster('ranker-k3m9s', 'ranker', 1_209_600),
  ...podsOf('llm-chat-9x2kd', 431_990),
  ...podsOf('llm-chat-4pd7q', 235),
  ...podsOf('ranker-k3m9s', 1_209_590),
];
