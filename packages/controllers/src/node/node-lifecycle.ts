import { ownValue } from '@manta/base';
import { type Node, type Taint, timestamp } from '@manta/api';
import { deepEqual } from '@manta/apiserver';
import { type Cluster, nameOf, readOne, type Stored } from '../framework/cluster.ts';
import type { Controller } from '../framework/controller.ts';
import { createEventRecorder } from '../framework/event-recorder.ts';
import { nodes } from '../framework/kinds.ts';

const NOT_READY = 'node.kubernetes.io/not-ready';
const UNREACHABLE = 'node.kubernetes.io/unreachable';
const UNSCHEDULABLE = 'node.kubernetes.io/unschedulable';
/** Conditions that keep new pods away while they hold. */
const PRESSURES: Readonly<Record<string, string>> = {
  MemoryPressure: 'node.kubernetes.io/memory-pressure',
  DiskPressure: 'node.kubernetes.io/disk-pressure',
  PIDPressure: 'node.kubernetes.io/pid-pressure',
  NetworkUnavailable: 'node.kubernetes.io/network-unavailable',
};
const OWN_KEYS: ReadonlySet<string> = new Set([NOT_READY, UNREACHABLE, UNSCHEDULABLE, ...Object.values(PRESSURES)]);

/**
 * Marks nodes by what they say of themselves, so that pods keep away from those that are not ready. Nobody waits for heartbeats here:
 * a node is as ready as it last said.
 */
export function nodeLifecycle(cluster: Cluster): Controller {
  const record = createEventRecorder(cluster, 'node-controller');
  const known = new Set<string>();
  return {
    name: 'node-lifecycle',
    watches: [nameOf(nodes)],
    keysOf: ({ key }) => [key.name],
    reconcile: async (name) => {
      const node = readOne(cluster.store, nodes, '', name);
      if (node === undefined) {
        known.delete(name);
        return undefined;
      }
      if (!known.has(name)) {
        known.add(name);
        await record(node, 'Normal', 'RegisteredNode', `Node ${name} event: Registered Node ${name} in Controller`);
      }
      await mark(cluster, node);
      return undefined;
    },
  };
}

async function mark({ writes, world }: Cluster, node: Stored<Node>): Promise<void> {
  const before = node.spec?.taints ?? [];
  const wanted = wantedTaints(node).map((taint) => {
    const old = before.find(({ key, effect }) => key === taint.key && effect === taint.effect);
    return old ?? { ...taint, timeAdded: timestamp(world.clock.now()) };
  });
  const taints = [...before.filter(({ key }) => !OWN_KEYS.has(key)), ...wanted];
  if (isSameSet(before, taints)) return;
  const { resourceVersion, name } = node.metadata;
  const body = { metadata: { resourceVersion }, spec: { taints: taints.length === 0 ? null : taints } };
  await writes.patch(nodes, { name }, { type: 'merge', body });
}

function isSameSet(a: readonly Taint[], b: readonly Taint[]): boolean {
  return a.length === b.length && a.every((taint) => b.some((other) => deepEqual(taint, other)));
}

function wantedTaints({ spec, status }: Node): readonly Taint[] {
  const conditions = status?.conditions ?? [];
  const ready = conditions.find(({ type }) => type === 'Ready')?.status;
  const pressures = conditions
    .filter(({ status: holds }) => holds === 'True')
    .flatMap(({ type }) => ownValue(PRESSURES, type) ?? [])
    .map((key) => ({ key, effect: 'NoSchedule' }));
  const cordoned = spec?.unschedulable === true ? [{ key: UNSCHEDULABLE, effect: 'NoSchedule' }] : [];
  return [...readiness(ready), ...pressures, ...cordoned];
}

/** A node that has said nothing yet keeps the mark that it was created with. */
function readiness(ready: string | undefined): readonly Taint[] {
  if (ready === 'True') return [];
  if (ready === undefined) return [{ key: NOT_READY, effect: 'NoSchedule' }];
  const key = ready === 'Unknown' ? UNREACHABLE : NOT_READY;
  return [
    { key, effect: 'NoSchedule' },
    { key, effect: 'NoExecute' },
  ];
}
