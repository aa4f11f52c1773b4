import type { ContainerStatus, PodStatus } from '@manta/api';
import { logKey } from '../../world.ts';
import { ago, event, NAMESPACE, pod, readyPod, recorded, seen, cluster } from '../recorded-world.ts';
import { type WhyCase, withHead } from './case.ts';

const IMAGE = 'rayproject/ray:2.52.0';
const unschedulable = (message: string): PodStatus => ({
  phase: 'Pending',
  conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message }],
});
const container = (parts: Partial<ContainerStatus>): PodStatus => ({
  phase: 'Pending',
  containerStatuses: [{ name: 'ray-head', image: IMAGE, imageID: '', ready: false, restartCount: 0, ...parts }],
});
const waiting = (reason: string, message = ''): PodStatus => container({ state: { waiting: { reason, message } } });
const crashed = (exitCode: number, reason: string, restartCount = 4): PodStatus => ({
  ...container({
    restartCount,
    state: { waiting: { reason: 'CrashLoopBackOff' } },
    lastState: { terminated: { exitCode, reason } },
  }),
  phase: 'Running',
});
const running = (seconds: number): PodStatus => ({
  ...container({ state: { running: { startedAt: ago(seconds) } } }),
  phase: 'Running',
});
const logs = (...lines: readonly string[]) => ({
  logs: new Map([[logKey(NAMESPACE, 'demo-head', 'ray-head'), { lines }]]),
});
const node = (name: string, cpu: string, ready: 'True' | 'False' = 'True') => ({
  metadata: { name },
  status: {
    allocatable: { cpu, memory: '16Gi' },
    conditions: [{ type: 'Ready', status: ready, message: 'Kubelet stopped posting node status.' }],
  },
});
const asking = (cpu: string) => ({
  containers: [{ name: 'ray-head', image: IMAGE, resources: { requests: { cpu } } }],
});
const onNode = { nodeName: 'node-a', containers: [{ name: 'ray-head', image: IMAGE }] };

/** What can be wrong with a pod. */
export const POD_CASES: readonly WhyCase[] = [
  {
    code: 'PodTooLarge',
    title: 'a request above the largest node',
    world: withHead(
      unschedulable('0/1 nodes are available: 1 Insufficient cpu.'),
      { nodes: seen(node('node-a', '4')) },
      asking('64'),
    ),
    sentence: 'Pod/demo-head requests 64 cpu, and the largest node (node-a) has 4 in total',
  },
  {
    code: 'InsufficientResources',
    title: 'full nodes',
    world: withHead(
      unschedulable('0/1 nodes are available: 1 Insufficient cpu.'),
      { nodes: seen(node('node-a', '4')) },
      asking('3'),
    ),
    sentence: 'no node has 3 cpu free for Pod/demo-head (largest node: node-a with 4 in total)',
  },
  {
    code: 'InsufficientResources',
    title: 'no GPU, nodes not readable',
    world: withHead(unschedulable('0/3 nodes are available: 3 Insufficient nvidia.com/gpu.'), {
      nodes: { kind: 'unreadable', right: 'list nodes' },
    }),
    sentence: 'no node has more nvidia.com/gpu free for Pod/demo-head',
  },
  {
    code: 'NodeSelectorMismatch',
    title: 'a selector without nodes',
    world: withHead(
      unschedulable("0/2 nodes are available: 2 node(s) didn't match Pod's node affinity/selector."),
      {},
      { nodeSelector: { pool: 'gpu' }, containers: [] },
    ),
    sentence: 'no node matches the node selector pool=gpu of Pod/demo-head',
  },
  {
    code: 'UntoleratedTaint',
    title: 'a taint',
    world: withHead(unschedulable('0/2 nodes are available: 2 node(s) had untolerated taint {dedicated: gpu}.')),
    sentence: 'Pod/demo-head does not tolerate the taint dedicated: gpu of the nodes',
  },
  {
    code: 'NodesCordoned',
    title: 'cordoned nodes',
    world: withHead(unschedulable('0/2 nodes are available: 2 node(s) were unschedulable.')),
    sentence: 'the nodes that could run Pod/demo-head are cordoned',
  },
  {
    code: 'NoNodes',
    title: 'no nodes',
    world: withHead(unschedulable('no nodes available to schedule pods')),
    sentence: 'the cluster has no node that takes pods',
  },
  {
    code: 'VolumeNotBound',
    title: 'an unbound claim',
    world: withHead(
      unschedulable('0/1 nodes are available: pod has unbound immediate PersistentVolumeClaims.'),
      { claims: seen({ metadata: { name: 'data', namespace: NAMESPACE }, status: { phase: 'Pending' } }) },
      { containers: [], volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'data' } }] },
    ),
    sentence: 'PersistentVolumeClaim data of Pod/demo-head is not bound to a volume',
  },
  {
    code: 'SchedulingGated',
    title: 'a scheduling gate',
    world: withHead(
      { phase: 'Pending', conditions: [{ type: 'PodScheduled', status: 'False', reason: 'SchedulingGated' }] },
      {},
      { containers: [], schedulingGates: [{ name: 'kueue.x-k8s.io/admission' }] },
    ),
    sentence: 'Pod/demo-head waits for its scheduling gate kueue.x-k8s.io/admission',
  },
  {
    code: 'NoScheduler',
    title: 'a scheduler that is not installed',
    world: withHead({ phase: 'Pending' }, {}, { containers: [], schedulerName: 'volcano' }),
    sentence: 'scheduler volcano has not looked at Pod/demo-head',
  },
  {
    code: 'Unschedulable',
    title: 'another reason of the scheduler',
    world: withHead(
      unschedulable("0/2 nodes are available: 2 node(s) didn't have free ports for the requested pod ports."),
    ),
    sentence:
      "the scheduler finds no node for Pod/demo-head: 0/2 nodes are available: 2 node(s) didn't have free ports for the requested pod ports",
  },
  {
    code: 'NodeLost',
    title: 'a node that is not ready',
    world: withHead({ phase: 'Running' }, { nodes: seen(node('node-a', '4', 'False')) }, onNode),
    sentence: 'node node-a of Pod/demo-head is not ready: Kubelet stopped posting node status',
  },
  {
    code: 'Evicted',
    title: 'memory pressure on the node',
    world: withHead({ phase: 'Failed', reason: 'Evicted', message: 'The node was low on resource: memory.' }),
    sentence: 'the kubelet evicted Pod/demo-head: The node was low on resource: memory',
  },
  {
    code: 'Preempted',
    title: 'a pod with a higher priority',
    world: withHead({
      phase: 'Failed',
      conditions: [
        {
          type: 'DisruptionTarget',
          status: 'True',
          reason: 'PreemptionByScheduler',
          message: 'default-scheduler: preempting to accommodate a higher priority pod',
        },
      ],
    }),
    sentence: 'Pod/demo-head was removed to make room for a pod with a higher priority',
  },
  {
    code: 'PodRejected',
    title: 'a device that is gone',
    world: withHead({
      phase: 'Failed',
      reason: 'UnexpectedAdmissionError',
      message: 'Allocate failed due to no healthy devices present',
    }),
    sentence:
      'the node of Pod/demo-head refused it: UnexpectedAdmissionError: Allocate failed due to no healthy devices present',
  },
  {
    code: 'StuckTerminating',
    title: 'a pod on a dead node',
    world: recorded({
      rayClusters: seen(cluster()),
      pods: seen(
        pod('demo-old', { metadata: { ...readyPod('demo-old').metadata, deletionTimestamp: ago(600) } }),
        readyPod('demo-head'),
        readyPod('demo-w1', 'demo', 'worker'),
        readyPod('demo-w2', 'demo', 'worker'),
      ),
    }),
    sentence: 'Pod/demo-old was deleted and still exists: its node has not confirmed that it ended',
  },
  {
    code: 'ImageNotFound',
    title: 'a wrong tag',
    world: withHead(waiting('ErrImagePull', 'rpc error: manifest unknown')),
    sentence: `Pod/demo-head cannot pull image ${IMAGE}: the registry has no such image`,
  },
  {
    code: 'ImagePullDenied',
    title: 'a private image',
    world: withHead(waiting('ImagePullBackOff'), {
      events: seen(event('Pod', 'demo-head', 'Failed', 'Failed to pull image: 401 Unauthorized')),
    }),
    sentence: `Pod/demo-head cannot pull image ${IMAGE}: the registry denies access`,
  },
  {
    code: 'RegistryUnreachable',
    title: 'no route to the registry',
    world: withHead(waiting('ErrImagePull', 'dial tcp: lookup registry.local: no such host')),
    sentence: `Pod/demo-head cannot pull image ${IMAGE}: the registry cannot be reached from the node`,
  },
  {
    code: 'InvalidImageName',
    title: 'a malformed image name',
    world: withHead(waiting('InvalidImageName', "couldn't parse image name")),
    sentence: `Pod/demo-head cannot pull image ${IMAGE}: the name is malformed`,
  },
  {
    code: 'ImageNeverPulled',
    title: 'imagePullPolicy: Never',
    world: withHead(waiting('ErrImageNeverPull')),
    sentence: `Pod/demo-head cannot pull image ${IMAGE}: it is not on the node, and imagePullPolicy is Never`,
  },
  {
    code: 'ImagePull',
    title: 'another pull error',
    world: withHead(waiting('ErrImagePull', 'unexpected EOF')),
    sentence: `Pod/demo-head cannot pull image ${IMAGE}: the pull fails`,
  },
  {
    code: 'MissingSecret',
    title: 'an env Secret',
    world: withHead(waiting('CreateContainerConfigError', 'secret "hf-token" not found')),
    sentence: 'Pod/demo-head needs Secret hf-token, which does not exist',
  },
  {
    code: 'MissingConfigMap',
    title: 'a mounted ConfigMap',
    world: withHead(
      { phase: 'Pending' },
      {
        events: seen(
          event(
            'Pod',
            'demo-head',
            'FailedMount',
            'MountVolume.SetUp failed for volume "code" : configmap "code" not found',
          ),
        ),
      },
      onNode,
    ),
    sentence: 'Pod/demo-head needs ConfigMap code, which does not exist',
  },
  {
    code: 'ContainerConfig',
    title: 'a user that is not allowed',
    world: withHead(waiting('CreateContainerConfigError', 'container has runAsNonRoot and image will run as root')),
    sentence:
      'container ray-head of Pod/demo-head cannot be created: container has runAsNonRoot and image will run as root',
  },
  {
    code: 'VolumeMount',
    title: 'a volume that does not mount',
    world: withHead(
      { phase: 'Pending' },
      {
        events: seen(
          event(
            'Pod',
            'demo-head',
            'FailedMount',
            'MountVolume.SetUp failed for volume "nfs": mount failed: exit status 32',
          ),
        ),
      },
      onNode,
    ),
    sentence:
      'a volume of Pod/demo-head cannot be mounted: MountVolume.SetUp failed for volume "nfs": mount failed: exit status 32',
  },
  {
    code: 'CommandNotFound',
    title: 'exit code 127',
    world: withHead(crashed(127, 'Error')),
    sentence: 'container ray-head of Pod/demo-head names a command that its image does not have (exit code 127)',
  },
  {
    code: 'ContainerStart',
    title: 'a runtime error',
    world: withHead({
      ...container({
        state: {
          terminated: {
            exitCode: 128,
            reason: 'StartError',
            message: 'failed to create containerd task: cgroup error',
          },
        },
      }),
      phase: 'Running',
    }),
    sentence: 'container ray-head of Pod/demo-head cannot be started: failed to create containerd task: cgroup error',
  },
  {
    code: 'OutOfMemory',
    title: 'an OOM kill',
    world: withHead(
      crashed(137, 'OOMKilled'),
      {},
      { containers: [{ name: 'ray-head', image: IMAGE, resources: { limits: { memory: '2Gi' } } }] },
    ),
    sentence: 'container ray-head of Pod/demo-head used more memory than its limit of 2Gi, and the kernel killed it',
  },
  {
    code: 'RayVersionMismatch',
    title: 'two Ray versions',
    world: withHead(
      crashed(1, 'Error'),
      logs('RuntimeError: Version mismatch: The cluster was started with: Ray: 2.52.0'),
    ),
    sentence: 'container ray-head of Pod/demo-head runs another version of Ray or Python than the head',
  },
  {
    code: 'InitContainerFailed',
    title: 'an init container',
    world: withHead({
      phase: 'Pending',
      initContainerStatuses: [
        {
          name: 'download',
          image: IMAGE,
          imageID: '',
          ready: false,
          restartCount: 2,
          state: { waiting: { reason: 'CrashLoopBackOff' } },
          lastState: { terminated: { exitCode: 1 } },
        },
      ],
    }),
    sentence: 'init container download of Pod/demo-head fails with exit code 1',
  },
  {
    code: 'CrashLoop',
    title: 'a crash loop',
    world: withHead(crashed(1, 'Error'), logs('ValueError: bad object store size')),
    sentence: 'container ray-head of Pod/demo-head ends with exit code 1, 4 times so far',
  },
  {
    code: 'ContainerFailed',
    title: 'a container that ended',
    world: withHead({ ...container({ state: { terminated: { exitCode: 2, reason: 'Error' } } }), phase: 'Failed' }),
    sentence: 'container ray-head of Pod/demo-head ended with exit code 2',
  },
  {
    code: 'StartupProbe',
    title: 'a startup probe',
    world: withHead(running(90), {
      events: seen(event('Pod', 'demo-head', 'Unhealthy', 'Startup probe failed: connection refused')),
    }),
    sentence: 'the startup probe of container ray-head of Pod/demo-head fails: connection refused',
  },
  {
    code: 'LivenessProbe',
    title: 'a liveness probe',
    world: withHead(running(90), {
      events: seen(event('Pod', 'demo-head', 'Unhealthy', 'Liveness probe failed: command timed out')),
    }),
    sentence: 'the liveness probe of container ray-head of Pod/demo-head fails: command timed out',
  },
  {
    code: 'ReadinessProbe',
    title: 'a readiness probe',
    world: withHead(running(90), {
      events: seen(event('Pod', 'demo-head', 'Unhealthy', 'Readiness probe failed: HTTP 503')),
    }),
    sentence: 'the readiness probe of container ray-head of Pod/demo-head fails: HTTP 503',
  },
  {
    code: 'NotReady',
    title: 'a pod that stays not ready',
    world: withHead(running(600)),
    sentence: 'container ray-head of Pod/demo-head has run for 600 s and is not ready',
  },
  {
    code: 'PodStarting',
    title: 'a pod that starts',
    world: withHead({ ...running(10) }, {}, onNode),
    sentence: 'Pod/demo-head starts (for 300 s)',
  },
  {
    code: 'WaitingForHead',
    title: 'a worker that waits for its head',
    world: recorded({
      rayClusters: seen(cluster()),
      pods: seen(
        readyPod('demo-head'),
        pod(
          'demo-w1',
          {
            status: {
              phase: 'Pending',
              initContainerStatuses: [
                {
                  name: 'wait-gcs-ready',
                  image: IMAGE,
                  imageID: '',
                  ready: false,
                  restartCount: 0,
                  state: { running: {} },
                },
              ],
            },
            spec: { nodeName: 'node-a', containers: [] },
          },
          'demo',
          'worker',
        ),
        readyPod('demo-w2', 'demo', 'worker'),
      ),
    }),
    sentence: 'Pod/demo-w1 waits until the head answers',
  },
];
