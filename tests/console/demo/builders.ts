import type { ContainerStatus, ObjectMeta, PodStatus, RayClusterSpec } from '@manta/api';
import { ago } from './clock.ts';

export const IMAGE = 'rayproject/ray:2.53.0';

/** An object of the demo: when it was created, what it is, and its status. */
export interface DemoObject {
  readonly kind: 'RayCluster' | 'RayJob' | 'RayService' | 'RayCronJob' | 'Pod' | 'Node' | 'Event';
  readonly ageSeconds: number;
  readonly metadata: ObjectMeta;
  readonly spec?: object;
  readonly status?: object;
  /** Further fields, of events. */
  readonly fields?: object;
  /** `kind/namespace/name` of the owner. */
  readonly owner?: string;
}

export interface GroupSize {
  readonly name: string;
  readonly replicas: number;
  readonly gpus?: number;
  readonly max?: number;
}

/** A RayCluster's spec with a head and these groups. */
export function clusterSpec(groups: readonly GroupSize[], image = IMAGE): RayClusterSpec {
  const container = (name: string, gpus: number) => {
    const amounts = { cpu: '8', memory: '16Gi', ...(gpus > 0 ? { 'nvidia.com/gpu': String(gpus) } : {}) };
    return { name, image, resources: { requests: amounts, limits: amounts } };
  };
  return {
    rayVersion: '2.53.0',
    headGroupSpec: { rayStartParams: {}, template: { spec: { containers: [container('ray-head', 0)] } } },
    workerGroupSpecs: groups.map(({ name, replicas, gpus = 0, max = replicas }) => ({
      groupName: name,
      replicas,
      minReplicas: 0,
      maxReplicas: max,
      rayStartParams: {},
      template: { spec: { containers: [container('ray-worker', gpus)] } },
    })),
  };
}

export interface DemoPod {
  readonly cluster: string;
  readonly name: string;
  readonly group: string;
  readonly ageSeconds: number;
  readonly node?: string;
  readonly gpus?: number;
  readonly state?: 'ready' | 'pending' | 'oom' | 'pulling';
}

/** A pod of a RayCluster as the kubelet reports it. */
export function podOf(namespace: string, pod: DemoPod): DemoObject {
  const { cluster, name, group, ageSeconds, node, gpus = 0, state = 'ready' } = pod;
  const isHead = group === 'headgroup';
  const amounts = { cpu: '8', memory: '16Gi', ...(gpus > 0 ? { 'nvidia.com/gpu': String(gpus) } : {}) };
  return {
    kind: 'Pod',
    ageSeconds,
    owner: `RayCluster/${namespace}/${cluster}`,
    metadata: {
      name,
      namespace,
      labels: {
        'ray.io/cluster': cluster,
        'ray.io/group': group,
        'ray.io/node-type': isHead ? 'head' : 'worker',
        'ray.io/is-ray-node': 'yes',
      },
    },
    spec: {
      ...(node === undefined ? {} : { nodeName: node }),
      containers: [
        { name: isHead ? 'ray-head' : 'ray-worker', image: IMAGE, resources: { requests: amounts, limits: amounts } },
      ],
    },
    status: podStatus(state, ageSeconds, isHead ? 'ray-head' : 'ray-worker'),
  };
}

function podStatus(state: DemoPod['state'], ageSeconds: number, container: string): PodStatus {
  const base: ContainerStatus = {
    name: container,
    image: IMAGE,
    imageID: '',
    restartCount: 0,
    ready: false,
    state: {},
  };
  const scheduled = { type: 'PodScheduled', status: 'True', lastTransitionTime: ago(ageSeconds - 1) };
  switch (state) {
    case 'pending':
      return {
        phase: 'Pending',
        conditions: [
          {
            type: 'PodScheduled',
            status: 'False',
            reason: 'Unschedulable',
            message: '0/4 nodes are available: 4 Insufficient nvidia.com/gpu.',
            lastTransitionTime: ago(ageSeconds),
          },
        ],
      };
    case 'pulling':
      return {
        phase: 'Pending',
        conditions: [scheduled],
        containerStatuses: [{ ...base, state: { waiting: { reason: 'ContainerCreating' } } }],
      };
    case 'oom':
      return {
        phase: 'Failed',
        conditions: [scheduled],
        containerStatuses: [
          {
            ...base,
            state: {
              terminated: { exitCode: 137, reason: 'OOMKilled', startedAt: ago(ageSeconds - 30), finishedAt: ago(320) },
            },
          },
        ],
      };
    default:
      return {
        phase: 'Running',
        podIP: '10.244.3.17',
        conditions: [scheduled, { type: 'Ready', status: 'True', lastTransitionTime: ago(ageSeconds - 40) }],
        containerStatuses: [
          { ...base, ready: true, started: true, state: { running: { startedAt: ago(ageSeconds - 27) } } },
        ],
      };
  }
}

/** An event about one object. */
export function eventOf(
  about: string,
  reason: string,
  note: string,
  secondsAgo: number,
  type: 'Normal' | 'Warning' = 'Normal',
): DemoObject {
  const [kind = '', namespace = '', name = ''] = about.split('/');
  return {
    kind: 'Event',
    ageSeconds: secondsAgo,
    metadata: { name: `${name}.${reason.toLowerCase()}.${secondsAgo}`, namespace },
    owner: about,
    fields: {
      eventTime: ago(secondsAgo).replace('Z', '.000000Z'),
      reportingController: 'ray-operator',
      reportingInstance: 'demo',
      action: reason,
      reason,
      note,
      type,
      regarding: { apiVersion: kind === 'Pod' ? 'v1' : 'ray.io/v1', kind, namespace, name },
    },
  };
}

export function condition(type: string, status: 'True' | 'False', reason: string, message: string, secondsAgo: number) {
  return { type, status, reason, message, lastTransitionTime: ago(secondsAgo) };
}
