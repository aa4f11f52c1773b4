import type { Pod } from '@manta/api';
import { isConflict, isNotFound, type KubeClient, resources } from '@manta/kube';
import { follow } from './watched.ts';

export interface PodPlayerOptions {
  readonly client: KubeClient;
  /** How long pods take to become ready, give or take half of it. */
  readonly readyMs: number;
  readonly signal: AbortSignal;
  /** Told the name of each pod that comes. */
  readonly onSeen?: (name: string) => void;
  /** Told of each pod that it has made ready. */
  readonly onReady?: (pod: Pod) => void;
}

const LINGER_MS = 200;

/** Makes pods ready a while after they came, and lets them go a while after they were told to. */
export function playPods({ client, readyMs, signal, onReady, onSeen }: PodPlayerOptions): Promise<void> {
  let address = 0;
  const started = new Set<string>();
  const ending = new Set<string>();
  const later = (ms: number, work: () => Promise<unknown>) =>
    setTimeout(() => {
      work().catch((error: unknown) => {
        if (!signal.aborted && !isNotFound(error) && !isConflict(error)) console.error(`pod player: ${String(error)}`);
      });
    }, ms);
  const refOf = ({ metadata }: Pod) => ({ name: metadata?.name ?? '', namespace: metadata?.namespace ?? '' });
  const makeReady = async (pod: Pod) => {
    address += 1;
    const ip = `10.${(address >> 16) & 255}.${(address >> 8) & 255}.${address & 255}`;
    const conditions = ['Ready', 'ContainersReady', 'PodScheduled'].map((type) => ({ type, status: 'True' }));
    const status = { phase: 'Running', podIP: ip, podIPs: [{ ip }], conditions };
    const patch = { type: 'merge', body: { status } } as const;
    const ready = await client.patch(resources.pods, refOf(pod), patch, { subresource: 'status' });
    onReady?.(ready);
  };
  /** Ray exits with 1 on SIGTERM, so the kubelet reports Failed before it removes the pod. */
  const end = async (pod: Pod) => {
    const state = { terminated: { exitCode: 1, reason: 'Error' } };
    const containerStatuses = (pod.spec?.containers ?? []).map(({ name }) => ({
      name,
      image: '',
      imageID: '',
      ready: false,
      restartCount: 0,
      state,
    }));
    const patch = { type: 'merge', body: { status: { phase: 'Failed', containerStatuses } } } as const;
    if (pod.status?.phase === 'Running')
      await client.patch(resources.pods, refOf(pod), patch, { subresource: 'status' });
    await client.delete(resources.pods, refOf(pod), { gracePeriodSeconds: 0 });
  };
  return follow(client, resources.pods, signal, (pod) => {
    const uid = pod.metadata?.uid ?? '';
    if (pod.metadata?.deletionTimestamp !== undefined) {
      if (ending.has(uid)) return;
      ending.add(uid);
      later(LINGER_MS, () => end(pod));
    } else if (!started.has(uid)) {
      started.add(uid);
      onSeen?.(pod.metadata?.name ?? '');
      later(readyMs / 2 + Math.random() * readyMs, () => makeReady(pod));
    }
  });
}
