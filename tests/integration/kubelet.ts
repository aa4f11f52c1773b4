import { setTimeout as pause } from 'node:timers/promises';
import type { Pod } from '@manta/api';
import { isConflict, isNotFound, type KubeClient, resources } from '@manta/kube';

/**
 * Makes the pods of one namespace run until it is stopped; those of Jobs end well at once. Pods have no node, so they are gone as soon as
 * they are deleted. `addressOf` gives some of them an address that somebody listens on.
 */
export function startKubelet(
  admin: KubeClient,
  namespace: string,
  addressOf: (pod: Pod) => string | undefined = () => undefined,
): { stop(): Promise<void> } {
  const over = new AbortController();
  const work = (async () => {
    let address = 0;
    while (!over.signal.aborted) {
      const { items } = await admin.list(resources.pods, { namespace });
      for (const pod of items.filter(({ status }) => status?.phase === 'Pending')) {
        address += 1;
        await quietly(run(admin, pod, addressOf(pod) ?? `10.1.${address >> 8}.${address & 255}`));
      }
      await pause(100);
    }
  })();
  return {
    stop: async () => {
      over.abort();
      await work;
    },
  };
}

async function run(admin: KubeClient, { metadata, spec }: Pod, podIP: string): Promise<void> {
  const now = new Date().toISOString().replace(/\.\d+Z$/, 'Z');
  const containerStatuses = (spec?.containers ?? []).map(({ name, image = '' }) => ({
    name,
    image,
    imageID: image,
    ready: true,
    restartCount: 0,
    state: { running: { startedAt: now } },
  }));
  const conditions = ['Ready', 'ContainersReady'].map((type) => ({ type, status: 'True', lastTransitionTime: now }));
  const isOfJob = metadata?.ownerReferences?.some(({ kind }) => kind === 'Job') === true;
  const status = isOfJob
    ? { phase: 'Succeeded' }
    : { phase: 'Running', podIP, podIPs: [{ ip: podIP }], conditions, containerStatuses };
  const ref = { name: metadata?.name ?? '', namespace: metadata?.namespace ?? '' };
  await admin.patch(resources.pods, ref, { type: 'merge', body: { status } }, { subresource: 'status' });
}

/** The object may have gone or changed meanwhile. */
async function quietly(work: Promise<void>): Promise<void> {
  await work.catch((error: unknown) => {
    if (!isNotFound(error) && !isConflict(error)) throw error;
  });
}
