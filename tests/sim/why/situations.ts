import type { KubeObject, Pod, PodStatus, RayClusterSpec } from '@manta/api';
import type { CauseCode, RayObjectKind } from '@manta/insight';
import type { StageOptions } from '../preview/stage.ts';

/** Something that goes wrong, as users meet it, and the cause that `why` must name. */
export interface Situation {
  readonly title: string;
  readonly kind: RayObjectKind;
  readonly spec: unknown;
  /** The spec that the user applies later. */
  readonly edit?: unknown;
  readonly code: CauseCode;
  readonly stage?: StageOptions;
  /** How long it takes until the operator has reacted. */
  readonly afterMs?: number;
}

const template = (image = 'rayproject/ray:2.52.0') => ({
  spec: { containers: [{ name: 'ray', image, resources: { requests: { cpu: '1', memory: '1Gi' } } }] },
});

const cluster = (more: Partial<RayClusterSpec> = {}): RayClusterSpec => ({
  rayVersion: '2.52.0',
  headGroupSpec: { rayStartParams: {}, template: template() },
  workerGroupSpecs: [
    { groupName: 'workers', replicas: 1, minReplicas: 0, maxReplicas: 5, rayStartParams: {}, template: template() },
  ],
  ...more,
});

const job = (more: object = {}) => ({
  entrypoint: 'python train.py',
  submissionMode: 'HTTPMode',
  rayClusterSpec: cluster(),
  ...more,
});

const service = (more: object = {}) => ({
  serveConfigV2: 'applications:\n- name: llm\n  route_prefix: /\n  import_path: app:deployment\n',
  rayClusterConfig: cluster(),
  ...more,
});

const incremental = (image: string) =>
  service({
    rayClusterConfig: cluster({
      enableInTreeAutoscaling: true,
      headGroupSpec: { rayStartParams: {}, template: template(image) },
    }),
    upgradeStrategy: {
      type: 'NewClusterWithIncrementalUpgrade',
      clusterUpgradeOptions: { gatewayClassName: 'istio', stepSizePercent: 50, intervalSeconds: 5 },
    },
  });

const isHead = ({ metadata }: KubeObject) => metadata?.labels?.['ray.io/node-type'] === 'head';

/** Every head pod gets this status. */
const heads = (status: PodStatus): StageOptions => ({ podStatus: (pod: Pod) => (isHead(pod) ? status : undefined) });

const notReady = [{ type: 'Ready', status: 'False' }] as const;
const scheduled = [{ type: 'PodScheduled', status: 'True' }, ...notReady] as const;

const container = (state: object, more: object = {}, image = 'rayproject/ray:2.52.0'): PodStatus => ({
  phase: 'Pending',
  conditions: scheduled,
  containerStatuses: [{ name: 'ray', image, imageID: '', ready: false, restartCount: 0, state, ...more }],
});

const waiting = (reason: string, message: string, image?: string) =>
  container({ waiting: { reason, message } }, {}, image);

const ended = (reason: string, exitCode: number): PodStatus =>
  container(
    { waiting: { reason: 'CrashLoopBackOff', message: 'back-off 40s restarting failed container' } },
    { restartCount: 4, lastState: { terminated: { reason, exitCode } } },
  );

const failsWith = (message: string): StageOptions => ({
  onHead: (head) => {
    for (const id of head.jobs.keys()) head.setJob(id, { status: 'FAILED', message });
  },
});

const deploysAs = (message: string): StageOptions => ({
  onHead: (head) => {
    for (const name of head.applications.keys()) head.applications.set(name, { status: 'DEPLOY_FAILED', message });
  },
});

/** Real situations: the operator runs on the API server of the engine, pods and Ray behave as the situation says. */
export const SITUATIONS: readonly Situation[] = [
  {
    title: 'The image does not exist',
    kind: 'RayCluster',
    spec: cluster({ headGroupSpec: { rayStartParams: {}, template: template('rayproject/ray:2.99') } }),
    code: 'ImageNotFound',
    stage: heads(
      waiting('ErrImagePull', 'failed to resolve reference "rayproject/ray:2.99": not found', 'rayproject/ray:2.99'),
    ),
  },
  {
    title: 'No node has room',
    kind: 'RayCluster',
    spec: cluster(),
    code: 'InsufficientResources',
    stage: heads({
      phase: 'Pending',
      conditions: [
        {
          type: 'PodScheduled',
          status: 'False',
          reason: 'Unschedulable',
          message: '0/3 nodes are available: 3 Insufficient cpu.',
        },
      ],
    }),
  },
  {
    title: 'The quota is used up',
    kind: 'RayCluster',
    spec: cluster(),
    code: 'QuotaExceeded',
    stage: {
      refusal: {
        verb: 'create',
        plural: 'pods',
        message:
          'pods "demo-head" is forbidden: exceeded quota: compute, requested: requests.cpu=1, used: requests.cpu=10, limited: requests.cpu=10',
      },
    },
  },
  {
    title: 'The operator lost a right',
    kind: 'RayCluster',
    spec: cluster(),
    code: 'PermissionMissing',
    stage: {
      refusal: {
        verb: 'create',
        plural: 'pods',
        message:
          'pods is forbidden: User "system:serviceaccount:ray-system:kuberay-operator" cannot create resource "pods" in API group "" in the namespace "default"',
      },
    },
  },
  {
    title: 'The head crashes',
    kind: 'RayCluster',
    spec: cluster(),
    code: 'CrashLoop',
    stage: heads(ended('Error', 1)),
  },
  {
    title: 'The head needs more memory than its limit',
    kind: 'RayCluster',
    spec: cluster(),
    code: 'OutOfMemory',
    stage: heads(ended('OOMKilled', 137)),
  },
  {
    title: 'A Secret is missing',
    kind: 'RayCluster',
    spec: cluster(),
    code: 'MissingSecret',
    stage: heads(waiting('CreateContainerConfigError', 'secret "huggingface" not found')),
  },
  {
    title: 'The cluster is suspended',
    kind: 'RayCluster',
    spec: cluster({ suspend: true }),
    code: 'Suspended',
  },
  {
    title: 'Another controller manages the cluster',
    kind: 'RayCluster',
    spec: cluster({ managedBy: 'kueue.x-k8s.io/multikueue' }),
    code: 'ManagedExternally',
  },
  {
    title: 'The script of a job fails',
    kind: 'RayJob',
    spec: job({ entrypoint: 'python tarin.py' }),
    code: 'EntrypointNotFound',
    stage: failsWith(
      "Job entrypoint command failed with exit code 2, last available logs (truncated to 20,000 chars):\npython: can't open file '/home/ray/tarin.py': [Errno 2] No such file or directory",
    ),
  },
  {
    title: 'pip cannot install a package',
    kind: 'RayJob',
    spec: job({ runtimeEnvYAML: 'pip: [tensorfow]\n' }),
    code: 'RuntimeEnvFailed',
    stage: failsWith(
      'runtime_env setup failed: Failed to set up runtime environment.\nERROR: Could not find a version that satisfies the requirement tensorfow (from versions: none)\nERROR: No matching distribution found for tensorfow',
    ),
  },
  {
    title: 'A job is suspended',
    kind: 'RayJob',
    spec: job({ suspend: true, shutdownAfterJobFinishes: true }),
    code: 'Suspended',
  },
  {
    title: 'A job exceeds its deadline',
    kind: 'RayJob',
    spec: job({ activeDeadlineSeconds: 30 }),
    code: 'DeadlineExceeded',
    afterMs: 60_000,
  },
  {
    title: 'A Serve application cannot be imported',
    kind: 'RayService',
    spec: service(),
    code: 'ServeImportError',
    stage: deploysAs(
      "Deploying app 'llm' failed with exception:\nTraceback (most recent call last):\nModuleNotFoundError: No module named 'app'",
    ),
    afterMs: 60_000,
  },
  {
    title: 'An upgrade in steps waits, because no controller serves the GatewayClass',
    kind: 'RayService',
    spec: incremental('rayproject/ray:2.54.0'),
    edit: incremental('rayproject/ray:2.55.0'),
    code: 'GatewayClassNotServed',
    stage: { isWithoutGateways: true },
    afterMs: 60_000,
  },
  {
    title: 'The schedule of a RayCronJob is suspended',
    kind: 'RayCronJob',
    spec: { schedule: '0 * * * *', suspend: true, jobTemplate: job() },
    code: 'Suspended',
  },
];
