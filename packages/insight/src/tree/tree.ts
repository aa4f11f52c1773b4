import {
  desiredPods,
  GroupName,
  isPodRunningAndReady,
  Label,
  type KubeObject,
  type Pod,
  type RayCluster,
  type RayJob,
  type RayService,
} from '@manta/api';
import { find, groupOf, podsOfCluster, refOf, timeMs } from '../lookup.ts';
import { podCause } from '../why/pod.ts';
import { podSays } from '../why/cluster.ts';
import { why } from '../why/why.ts';
import { itemsOf, type ObjectRef, type RayObjectKind, type RayRef, type World } from '../world.ts';
import { stateText } from './state-text.ts';

/** How a node of the tree looks: `idle` has nothing to do, such as a suspended cluster or an ended job. */
export type NodeHealth = 'ok' | 'waiting' | 'bad' | 'idle';

/** An object, or a worker group, and what belongs to it. */
export interface TreeNode {
  readonly ref: ObjectRef;
  readonly health: NodeHealth;
  /** Its state in a few words. */
  readonly says: string;
  /** Its role in the parent: `active, 80% of traffic`. */
  readonly role?: string;
  /** The code of the cause, on the object that has it. */
  readonly code?: string;
  readonly children: readonly TreeNode[];
}

/** The tree below an object; without one, of everything that no other Ray object owns. */
export function tree(world: World, ref?: RayRef): readonly TreeNode[] {
  if (ref !== undefined) return rayNode(world, ref);
  const roots = (['RayService', 'RayCronJob', 'RayJob', 'RayCluster'] as const).flatMap((kind) =>
    rayRefs(world, kind).filter((each) => !isOwnedByRay(world, each)),
  );
  return roots.flatMap((each) => rayNode(world, each));
}

/** Every object of a kind that was read. */
export function rayRefs(world: World, kind: RayObjectKind): readonly RayRef[] {
  return itemsOf<KubeObject>(world[PARTS[kind]]).map(({ metadata }) => ({
    kind,
    namespace: metadata?.namespace ?? '',
    name: metadata?.name ?? '',
  }));
}

const PARTS = {
  RayCluster: 'rayClusters',
  RayJob: 'rayJobs',
  RayService: 'rayServices',
  RayCronJob: 'rayCronJobs',
} as const;

function isOwnedByRay(world: World, { kind, namespace, name }: RayRef): boolean {
  const object = find<KubeObject>(world[PARTS[kind]], namespace, name);
  return object?.metadata?.ownerReferences?.some((owner) => owner.apiVersion.startsWith('ray.io/')) ?? false;
}

function rayNode(world: World, ref: RayRef, role?: string): readonly TreeNode[] {
  const answer = why(world, ref);
  if (answer.health === 'gone') return [];
  const isIdle = answer.cause?.code === 'Suspended' || answer.cause?.code === 'Queued';
  const health = isIdle
    ? 'idle'
    : answer.health === 'healthy'
      ? 'ok'
      : answer.health === 'progressing'
        ? 'waiting'
        : 'bad';
  const isOwn = answer.cause?.object.kind === ref.kind && answer.cause.object.name === ref.name;
  const code = isOwn && health === 'bad' ? answer.cause?.code : undefined;
  return [
    {
      ref,
      health,
      says: stateText(world, ref),
      ...(role === undefined ? {} : { role }),
      ...(code === undefined ? {} : { code }),
      children: childrenOf(world, ref),
    },
  ];
}

function childrenOf(world: World, { kind, namespace, name }: RayRef): readonly TreeNode[] {
  const clusterNode = (cluster: string | undefined, role?: string) =>
    cluster === undefined || cluster === ''
      ? []
      : rayNode(world, { kind: 'RayCluster', namespace, name: cluster }, role);
  switch (kind) {
    case 'RayService': {
      const service = find(world.rayServices, namespace, name);
      const { activeServiceStatus: active, pendingServiceStatus: pending } = service?.status ?? {};
      return [
        ...clusterNode(active?.rayClusterName, `active${traffic(service, 'activeServiceStatus')}`),
        ...clusterNode(pending?.rayClusterName, `pending${traffic(service, 'pendingServiceStatus')}`),
      ];
    }
    case 'RayJob': {
      const job = find(world.rayJobs, namespace, name);
      return [...clusterNode(job?.status?.rayClusterName), ...submitterNodes(world, job)];
    }
    case 'RayCronJob':
      return itemsOf(world.rayJobs)
        .filter(({ metadata }) => metadata?.namespace === namespace && metadata.labels?.[Label.CronJobName] === name)
        .toSorted((a, b) => (timeMs(b.metadata?.creationTimestamp) ?? 0) - (timeMs(a.metadata?.creationTimestamp) ?? 0))
        .flatMap((job) => rayNode(world, { kind: 'RayJob', namespace, name: job.metadata?.name ?? '' }));
    case 'RayCluster': {
      const cluster = find(world.rayClusters, namespace, name);
      return cluster === undefined ? [] : groupNodes(world, cluster);
    }
  }
}

function traffic(service: RayService | undefined, side: 'activeServiceStatus' | 'pendingServiceStatus'): string {
  const percent = service?.status?.[side]?.trafficRoutedPercent;
  return percent === undefined ? '' : `, ${percent}% of traffic`;
}

function submitterNodes(world: World, job: RayJob | undefined): readonly TreeNode[] {
  const submitters = itemsOf(world.jobs).filter(({ metadata }) =>
    metadata?.ownerReferences?.some(({ uid }) => uid === job?.metadata?.uid),
  );
  return submitters.map((submitter) => {
    const pods = itemsOf(world.pods).filter(({ metadata }) =>
      metadata?.ownerReferences?.some(({ uid }) => uid === submitter.metadata?.uid),
    );
    const children = pods.map((pod) => podNode(world, pod));
    const isBad = children.some(({ health }) => health === 'bad');
    return { ref: refOf('Job', submitter), role: 'submitter', health: isBad ? 'bad' : 'ok', says: '', children };
  });
}

/** The head group and the worker groups of the spec, then pods of groups that the spec no longer has. */
function groupNodes(world: World, cluster: RayCluster): readonly TreeNode[] {
  const pods = podsOfCluster(world, cluster);
  const wanted = new Map([
    [GroupName.Head as string, 1],
    ...(cluster.spec?.workerGroupSpecs ?? []).map((group) => [group.groupName, desiredPods(group)] as const),
  ]);
  const names = new Set([...wanted.keys(), ...pods.map(groupOf)]);
  return [...names].map((name) =>
    groupNode(
      world,
      cluster,
      name,
      wanted.get(name) ?? 0,
      pods.filter((pod) => groupOf(pod) === name),
    ),
  );
}

function groupNode(world: World, cluster: RayCluster, name: string, wanted: number, pods: readonly Pod[]): TreeNode {
  const ready = pods.filter(isPodRunningAndReady).length;
  const count = cluster.spec?.suspend === true ? 0 : wanted;
  const children = pods.map((pod) => podNode(world, pod));
  const isBad = children.some(({ health }) => health === 'bad');
  const health = isBad ? 'bad' : ready < count ? 'waiting' : count === 0 ? 'idle' : 'ok';
  const says = world.pods.kind === 'seen' ? `${ready} of ${count} ready` : `${count} wanted`;
  return {
    ref: { kind: 'group', name: name === GroupName.Head ? 'head' : name },
    health: world.pods.kind === 'seen' ? health : 'idle',
    says,
    children,
  };
}

function podNode(world: World, pod: Pod): TreeNode {
  const cause = podCause(pod, world);
  const node = pod.spec?.nodeName;
  const health =
    cause === undefined
      ? pod.status?.phase === 'Succeeded'
        ? 'idle'
        : 'ok'
      : cause.isProgress === true
        ? 'waiting'
        : 'bad';
  const code = cause === undefined || cause.isProgress === true ? {} : { code: cause.code };
  return {
    ref: refOf('Pod', pod),
    health,
    says: node === undefined ? podSays(pod) : `${podSays(pod)} on ${node}`,
    ...code,
    children: [],
  };
}
