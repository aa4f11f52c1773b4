import type { Lease } from '@manta/api';
import { type Cluster, readOne, leases, nodes } from '@manta/controllers';
import { type NodeAnnouncement, registerNode } from './register-node.ts';

const LEASE_NAMESPACE = 'kube-node-lease';
const LEASE_SECONDS = 40;
const BEAT_MS = 10_000;
/** How many beats there are from one status of the node to the next, where nothing changes. */
const STATUS_BEATS = 30;

/**
 * Registers a node and sends heartbeats, like a kubelet: renews its lease every ten seconds and writes its status every five minutes. A deleted
 * node is registered again. A failed write is retried at the next heartbeat.
 */
export async function startHeartbeat(cluster: Cluster, announced: NodeAnnouncement): Promise<() => void> {
  const { clock } = cluster.world;
  let beats = 0;
  let isOver = false;
  let cancel: () => void = () => undefined;
  const beat = async () => {
    beats += 1;
    if (beats % STATUS_BEATS === 0 || readOne(cluster.store, nodes, '', announced.name) === undefined)
      await registerNode(cluster, announced);
    await renewLease(cluster, announced.name);
  };
  const planNext = () => {
    if (isOver) return;
    cancel = clock.setTimer(BEAT_MS, () => void beat().then(planNext, planNext));
  };
  await registerNode(cluster, announced);
  await renewLease(cluster, announced.name).then(planNext, planNext);
  return () => {
    isOver = true;
    cancel();
  };
}

async function renewLease({ store, writes, world }: Cluster, name: string): Promise<void> {
  const node = readOne(store, nodes, '', name);
  if (node === undefined) return;
  // Leases have microseconds.
  const renewTime = new Date(world.clock.now()).toISOString().replace('Z', '000Z');
  const spec: Lease['spec'] = { holderIdentity: name, leaseDurationSeconds: LEASE_SECONDS, renewTime };
  const metadata = { name, namespace: LEASE_NAMESPACE };
  if (readOne(store, leases, LEASE_NAMESPACE, name) !== undefined) {
    await writes.patch(leases, metadata, { type: 'merge', body: { spec } });
    return;
  }
  const ownerReferences = [{ apiVersion: 'v1', kind: 'Node', name, uid: node.metadata.uid }];
  await writes.create(leases, {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { ...metadata, ownerReferences },
    spec,
  });
}
