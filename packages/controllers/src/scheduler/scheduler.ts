import { type Pod, timestamp } from '@manta/api';
import { hasPodEnded, podCondition, type StoreEvent } from '@manta/apiserver';
import { type Cluster, joinKey, nameOf, readAll, readOne, type Stored, splitKey } from '../framework/cluster.ts';
import type { Controller } from '../framework/controller.ts';
import { createEventRecorder, type RecordEvent } from '../framework/event-recorder.ts';
import { nodes, pods } from '../framework/kinds.ts';
import { chooseNode } from './choose-node.ts';
import { NodeLoads } from './node-loads.ts';

const NAME = 'default-scheduler';

/** Gives pods nodes that have room for them and that they may run on. Nothing is pushed aside for a pod of higher priority. */
export function scheduler(cluster: Cluster): Controller {
  const loads = new NodeLoads();
  /** Pods that fit nowhere; tried again when a node changes or room becomes free. */
  const unplaced = new Set<string>();
  const record = createEventRecorder(cluster, NAME);
  return {
    name: 'scheduler',
    watches: [nameOf(nodes), nameOf(pods)],
    keysOf: (event) => {
      if (event.key.resource === nameOf(nodes)) return [...unplaced];
      const pod = asPod(event);
      const hasRoom = loads.follow(event, pod);
      const key = joinKey(event.key.namespace, event.key.name);
      return [...(isUnscheduled(pod) ? [key] : []), ...(hasRoom ? unplaced : [])];
    },
    reconcile: async (key) => {
      const { namespace, name } = splitKey(key);
      unplaced.delete(key);
      const pod = readOne(cluster.store, pods, namespace, name);
      if (pod === undefined || !isUnscheduled(pod)) return undefined;
      const choice = chooseNode(
        pod,
        readAll(cluster.store, nodes).map((node) => loads.of(node)),
      );
      if ('node' in choice) {
        await bind(cluster, record, pod, choice.node);
      } else {
        unplaced.add(key);
        await refuse(cluster, record, pod, choice.message);
      }
      return undefined;
    },
  };
}

/** A pod that this scheduler is asked to place, now. */
function isUnscheduled(pod: Stored<Pod>): boolean {
  const { nodeName = '', schedulerName = NAME, schedulingGates = [] } = pod.spec ?? {};
  const isEnding = pod.metadata.deletionTimestamp !== undefined || hasPodEnded(pod);
  return nodeName === '' && schedulerName === NAME && schedulingGates.length === 0 && !isEnding;
}

async function bind({ writes }: Cluster, record: RecordEvent, pod: Stored<Pod>, node: string): Promise<void> {
  const { namespace = '', name, uid } = pod.metadata;
  await writes.post(`/api/v1/namespaces/${namespace}/pods/${name}/binding`, {
    apiVersion: 'v1',
    kind: 'Binding',
    metadata: { name, namespace, uid },
    target: { kind: 'Node', name: node },
  });
  await record(pod, 'Normal', 'Scheduled', `Successfully assigned ${namespace}/${name} to ${node}`);
}

async function refuse(
  { writes, world }: Cluster,
  record: RecordEvent,
  pod: Stored<Pod>,
  message: string,
): Promise<void> {
  const old = podCondition(pod, 'PodScheduled');
  if (old?.status === 'False' && old.message === message) return;
  const now = timestamp(world.clock.now());
  const lastTransitionTime = old?.status === 'False' ? (old.lastTransitionTime ?? now) : now;
  const condition = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message, lastTransitionTime };
  const others = (pod.status?.conditions ?? []).filter(({ type }) => type !== 'PodScheduled');
  const status = { ...pod.status, conditions: [...others, { ...condition, lastProbeTime: null }] };
  await writes.patch(pods, pod.metadata, { type: 'merge', body: { status } }, { subresource: 'status' });
  await record(pod, 'Warning', 'FailedScheduling', message);
}

function asPod({ object }: StoreEvent): Stored<Pod> {
  return object;
}
