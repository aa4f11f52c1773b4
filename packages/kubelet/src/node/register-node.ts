import { type Node, timestamp } from '@manta/api';
import { type Cluster, readOne, nodes } from '@manta/controllers';

/** A machine as a kubelet registers it. */
export interface NodeAnnouncement {
  readonly name: string;
  /** What it has, such as `{ cpu: '4', memory: '8Gi', 'nvidia.com/gpu': '1' }`; default 110 pods. */
  readonly capacity: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
  readonly address?: string;
}

/** Announces a node that is ready to take pods, or brings what is known of it up to date. */
export async function registerNode({ writes, world, store }: Cluster, announced: NodeAnnouncement): Promise<void> {
  const { name, labels, address = '192.168.0.1' } = announced;
  if (readOne(store, nodes, '', name) === undefined) {
    const metadata = { name, labels: { 'kubernetes.io/hostname': name, 'kubernetes.io/os': 'linux', ...labels } };
    await writes.create(nodes, { apiVersion: 'v1', kind: 'Node', metadata });
  }
  const capacity = { pods: '110', ...announced.capacity };
  const now = timestamp(world.clock.now());
  const addresses = [
    { type: 'InternalIP', address },
    { type: 'Hostname', address: name },
  ];
  const before = readOne(store, nodes, '', name)?.status?.conditions ?? [];
  const since = (each: NodeConditions[number]) => {
    const old = before.find(({ type }) => type === each.type);
    return old?.status === each.status && old.lastTransitionTime !== undefined
      ? { ...each, lastTransitionTime: old.lastTransitionTime }
      : each;
  };
  const status = { capacity, allocatable: capacity, conditions: conditions(now).map(since), addresses };
  await writes.patch(nodes, { name }, { type: 'merge', body: { status } }, { subresource: 'status' });
}

/** Says that a node is ready, or no longer is. */
export async function setNodeReady({ writes, world, store }: Cluster, name: string, isReady: boolean): Promise<void> {
  const now = timestamp(world.clock.now());
  const others = readOne(store, nodes, '', name)?.status?.conditions ?? [];
  const ready = isReady
    ? condition('Ready', 'True', 'KubeletReady', 'kubelet is posting ready status', now)
    : condition('Ready', 'False', 'KubeletNotReady', 'container runtime is down', now);
  const body = { status: { conditions: [...others.filter(({ type }) => type !== 'Ready'), ready] } };
  await writes.patch(nodes, { name }, { type: 'merge', body }, { subresource: 'status' });
}

type NodeConditions = NonNullable<NonNullable<Node['status']>['conditions']>;

function conditions(now: string): NodeConditions {
  return [
    condition('MemoryPressure', 'False', 'KubeletHasSufficientMemory', 'kubelet has sufficient memory available', now),
    condition('DiskPressure', 'False', 'KubeletHasNoDiskPressure', 'kubelet has no disk pressure', now),
    condition('PIDPressure', 'False', 'KubeletHasSufficientPID', 'kubelet has sufficient PID available', now),
    condition('Ready', 'True', 'KubeletReady', 'kubelet is posting ready status', now),
  ];
}

function condition(type: string, status: string, reason: string, message: string, now: string): NodeConditions[number] {
  return { type, status, reason, message, lastHeartbeatTime: now, lastTransitionTime: now };
}
