import { ago } from './clock.ts';
import { clusterSpec, condition, type DemoObject, eventOf, IMAGE, podOf } from './builders.ts';
import { SERVICES } from './services.ts';

const VISION = 'team-vision';
const JOB = 'python -m train --epochs 90 --data s3://imagenet';

const ready = (workers: number, gpus: number) => ({
  state: 'ready',
  readyWorkerReplicas: workers,
  availableWorkerReplicas: workers,
  desiredWorkerReplicas: workers,
  desiredCPU: String(8 * (workers + 1)),
  desiredMemory: `${16 * (workers + 1)}Gi`,
  desiredGPU: String(gpus),
  observedGeneration: 1,
  conditions: [
    condition('HeadPodReady', 'True', 'HeadPodRunningAndReady', '', 300),
    condition(
      'RayClusterProvisioned',
      'True',
      'AllPodRunningAndReadyFirstTime',
      'All Ray Pods are ready for the first time',
      260,
    ),
  ],
});

const attempt = (
  number: number,
  cluster: string,
  from: number,
  to: number | undefined,
  outcome?: string,
  reason?: string,
) => ({
  number,
  rayClusterName: cluster,
  submissionId: `${cluster}-${number}`,
  startTime: ago(from),
  ...(to === undefined ? {} : { endTime: ago(to) }),
  ...(outcome === undefined ? {} : { outcome }),
  ...(reason === undefined ? {} : { reason }),
});

const job = (name: string, ageSeconds: number, status: object, gpus = 0, spec: object = {}): DemoObject => ({
  kind: 'RayJob',
  ageSeconds,
  metadata: { name, namespace: VISION, annotations: { 'ray.io/owner': 'ada@example.com' } },
  spec: {
    entrypoint: JOB,
    backoffLimit: 2,
    shutdownAfterJobFinishes: true,
    rayClusterSpec: clusterSpec([{ name: gpus > 0 ? 'gpu' : 'cpu', replicas: 2, gpus: gpus / 2 }]),
    ...spec,
  },
  status,
});

const FAILED = 'train-resnet-b71';
const RUNNING = 'embed-nightly-0412';
const PENDING = 'finetune-llama-8b';

const JOBS: readonly DemoObject[] = [
  job(
    FAILED,
    3_720,
    {
      jobDeploymentStatus: 'Failed',
      jobStatus: 'FAILED',
      reason: 'AppFailed',
      message:
        'Job entrypoint command failed with exit code 1, last available logs (truncated to 20,000 chars):\nTraceback (most recent call last):\n  File "train.py", line 88, in <module>\n    trainer.fit()\nray.exceptions.ActorDiedError: The actor died unexpectedly before finishing this task.\n  class_name: Trainer  actor_id: 7f3a9c  pid: 412  ip: 10.244.3.17\n  The actor\'s node died: node was terminated unexpectedly (SIGKILL).',
      rayClusterName: `${FAILED}-x4k2p`,
      jobId: `${FAILED}-2`,
      startTime: ago(3_718),
      endTime: ago(310),
      rayJobInfo: { startTime: ago(533), endTime: ago(310) },
      attempts: [
        attempt(1, `${FAILED}-w8s1c`, 3_718, 838, 'Lost', "the head's node was drained"),
        attempt(2, `${FAILED}-x4k2p`, 682, 310, 'Failed', 'AppFailed'),
      ],
    },
    2,
  ),
  job(
    RUNNING,
    742,
    {
      jobDeploymentStatus: 'Running',
      jobStatus: 'RUNNING',
      rayClusterName: `${RUNNING}-7tq2m`,
      jobId: `${RUNNING}-1`,
      startTime: ago(741),
      rayJobInfo: { startTime: ago(610) },
      attempts: [attempt(1, `${RUNNING}-7tq2m`, 741, undefined)],
    },
    2,
  ),
  job(
    PENDING,
    1_260,
    { jobDeploymentStatus: 'Initializing', jobStatus: '', rayClusterName: `${PENDING}-c9v5k`, startTime: ago(1_259) },
    16,
  ),
  job('sweep-lr-17', 1_900, { jobDeploymentStatus: 'Suspended', jobStatus: '' }, 16, { suspend: true }),
  job('etl-parquet', 7_400, {
    jobDeploymentStatus: 'Complete',
    jobStatus: 'SUCCEEDED',
    startTime: ago(7_399),
    endTime: ago(6_320),
    rayJobInfo: { startTime: ago(7_340), endTime: ago(6_330) },
    attempts: [attempt(1, 'etl-parquet-d2k8r', 7_399, 6_320, 'Succeeded')],
  }),
];

const JOB_CLUSTERS: readonly DemoObject[] = [
  {
    name: `${FAILED}-x4k2p`,
    of: FAILED,
    age: 682,
    status: { ...ready(2, 2), readyWorkerReplicas: 1, availableWorkerReplicas: 1 },
  },
  { name: `${RUNNING}-7tq2m`, of: RUNNING, age: 741, status: ready(2, 2) },
  {
    name: `${PENDING}-c9v5k`,
    of: PENDING,
    age: 1_259,
    status: {
      desiredWorkerReplicas: 2,
      observedGeneration: 1,
      desiredGPU: '16',
      desiredCPU: '24',
      desiredMemory: '48Gi',
    },
  },
].map(({ name, of, age, status }) => ({
  kind: 'RayCluster',
  ageSeconds: age,
  owner: `RayJob/${VISION}/${of}`,
  metadata: { name, namespace: VISION },
  spec: clusterSpec([{ name: 'gpu', replicas: 2, gpus: of === PENDING ? 8 : 1 }]),
  status,
}));

/** The pods that submitted the jobs; their logs are the jobs' output. */
const SUBMITTERS: readonly DemoObject[] = [FAILED, RUNNING].map((name) => ({
  kind: 'Pod',
  ageSeconds: 540,
  owner: `RayJob/${VISION}/${name}`,
  metadata: { name: `${name}-z8k4m`, namespace: VISION, labels: { 'job-name': name } },
  spec: { nodeName: 'node-a', containers: [{ name: 'ray-job-submitter', image: IMAGE }] },
  status: {
    phase: 'Running',
    containerStatuses: [
      {
        name: 'ray-job-submitter',
        image: IMAGE,
        imageID: '',
        restartCount: 0,
        ready: true,
        state: { running: { startedAt: ago(535) } },
      },
    ],
  },
}));

const NOTEBOOK: DemoObject = {
  kind: 'RayCluster',
  ageSeconds: 93_600,
  metadata: { name: 'notebook-ada', namespace: VISION },
  spec: {
    ...clusterSpec([
      { name: 'cpu', replicas: 2, max: 8 },
      { name: 'gpu', replicas: 2, gpus: 2, max: 4 },
    ]),
    enableInTreeAutoscaling: true,
  },
  status: { ...ready(4, 8), readyWorkerReplicas: 3, availableWorkerReplicas: 3 },
};

const pods = (cluster: string, list: readonly Omit<Parameters<typeof podOf>[1], 'cluster'>[]) =>
  list.map((each) => podOf(VISION, { cluster, ...each }));

const PODS: readonly DemoObject[] = [
  ...pods(`${FAILED}-x4k2p`, [
    { name: `${FAILED}-x4k2p-head-k2v8d`, group: 'headgroup', ageSeconds: 680, node: 'node-a' },
    { name: `${FAILED}-x4k2p-gpu-worker-9tq7m`, group: 'gpu', ageSeconds: 680, node: 'node-b', gpus: 1, state: 'oom' },
    { name: `${FAILED}-x4k2p-gpu-worker-c4x1n`, group: 'gpu', ageSeconds: 680, node: 'node-c', gpus: 1 },
  ]),
  ...pods(`${RUNNING}-7tq2m`, [
    { name: `${RUNNING}-7tq2m-head-m5p2z`, group: 'headgroup', ageSeconds: 740, node: 'node-a' },
    { name: `${RUNNING}-7tq2m-gpu-worker-a1b2c`, group: 'gpu', ageSeconds: 735, node: 'node-b', gpus: 1 },
    { name: `${RUNNING}-7tq2m-gpu-worker-d3e4f`, group: 'gpu', ageSeconds: 734, node: 'node-c', gpus: 1 },
  ]),
  ...pods(`${PENDING}-c9v5k`, [
    { name: `${PENDING}-c9v5k-head-r7w3q`, group: 'headgroup', ageSeconds: 1_258, node: 'node-a' },
    { name: `${PENDING}-c9v5k-gpu-worker-h2j4k`, group: 'gpu', ageSeconds: 1_258, gpus: 8, state: 'pending' },
    { name: `${PENDING}-c9v5k-gpu-worker-l6n8p`, group: 'gpu', ageSeconds: 1_258, gpus: 8, state: 'pending' },
  ]),
  ...pods('notebook-ada', [
    { name: 'notebook-ada-head-9fj2s', group: 'headgroup', ageSeconds: 93_590, node: 'node-a' },
    { name: 'notebook-ada-cpu-worker-b8d2f', group: 'cpu', ageSeconds: 3_300, node: 'node-d' },
    { name: 'notebook-ada-cpu-worker-g5h7j', group: 'cpu', ageSeconds: 3_300, node: 'node-d' },
    { name: 'notebook-ada-gpu-worker-k1m3n', group: 'gpu', ageSeconds: 1_500, node: 'node-b', gpus: 2 },
    { name: 'notebook-ada-gpu-worker-p4q6r', group: 'gpu', ageSeconds: 45, node: 'node-c', gpus: 2, state: 'pulling' },
  ]),
];

const node = (name: string, gpus: number): DemoObject => {
  const amounts = { cpu: '64', memory: '256Gi', pods: '110', ...(gpus > 0 ? { 'nvidia.com/gpu': String(gpus) } : {}) };
  return {
    kind: 'Node',
    ageSeconds: 864_000,
    metadata: { name, labels: { 'node.kubernetes.io/instance-type': gpus > 0 ? 'g5.48xlarge' : 'm6i.16xlarge' } },
    spec: {},
    status: {
      capacity: amounts,
      allocatable: amounts,
      conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: ago(864_000) }],
    },
  };
};

const CRON: readonly DemoObject[] = [
  {
    kind: 'RayCronJob',
    ageSeconds: 864_000,
    metadata: { name: 'embed-nightly', namespace: VISION },
    spec: { schedule: '30 3 * * *', timeZone: 'Europe/Berlin', jobTemplate: JOBS[0]?.spec },
    status: { lastScheduleTime: '2026-11-18T02:30:00Z' },
  },
  {
    kind: 'RayCronJob',
    ageSeconds: 700_000,
    metadata: { name: 'report-hourly', namespace: 'team-search' },
    spec: { schedule: '0 * * * *', suspend: true, jobTemplate: JOBS[0]?.spec },
    status: {},
  },
];

const CRON_RUNS: readonly DemoObject[] = [0, 1, 2, 3].map((day) => {
  const from = 34_200 + day * 86_400;
  const isBad = day === 2;
  return {
    ...job(`embed-nightly-${29_520_000 - day}`, from, {
      jobDeploymentStatus: isBad ? 'Failed' : 'Complete',
      jobStatus: isBad ? 'FAILED' : 'SUCCEEDED',
      ...(isBad
        ? { reason: 'DeadlineExceeded', message: 'the job ran longer than spec.activeDeadlineSeconds (3600)' }
        : {}),
      startTime: ago(from),
      endTime: ago(from - 2_400 + day * 130),
    }),
    owner: `RayCronJob/${VISION}/embed-nightly`,
  };
});

const EVENTS: readonly DemoObject[] = [
  eventOf(`RayJob/${VISION}/${FAILED}`, 'JobFailed', 'Attempt 2 of 3 failed: AppFailed', 310, 'Warning'),
  eventOf(`RayJob/${VISION}/${FAILED}`, 'CreatedRayCluster', `Created RayCluster ${VISION}/${FAILED}-x4k2p`, 682),
  eventOf(
    `RayCluster/${VISION}/notebook-ada`,
    'CreatedWorkerPod',
    'Created worker Pod notebook-ada-gpu-worker-p4q6r',
    45,
  ),
  eventOf(
    `Pod/${VISION}/${PENDING}-c9v5k-gpu-worker-h2j4k`,
    'FailedScheduling',
    '0/4 nodes are available: 4 Insufficient nvidia.com/gpu.',
    60,
    'Warning',
  ),
  eventOf(`RayService/team-search/llm-chat`, 'UpgradeStarted', 'Created pending RayCluster llm-chat-4pd7q', 240),
  eventOf(`RayService/team-search/llm-chat`, 'TrafficMigrated', 'Traffic of llm-chat-4pd7q: 75 %', 20),
];

/** What the pictures and the tests show: jobs, clusters, services and schedules of two teams, in every state. */
export const DEMO_OBJECTS: readonly DemoObject[] = [
  node('node-a', 0),
  node('node-b', 8),
  node('node-c', 8),
  node('node-d', 0),
  ...JOBS,
  ...CRON,
  ...CRON_RUNS,
  ...JOB_CLUSTERS,
  NOTEBOOK,
  ...SERVICES,
  ...PODS,
  ...SUBMITTERS,
  ...EVENTS,
];
