import type { KubeObject } from '@manta/api';
import type { KubeClient, ResourceType } from '@manta/kube';

/** Follows all objects of a kind until the signal is aborted; calls back for each that comes or changes. */
export async function follow<T extends KubeObject>(
  client: KubeClient,
  type: ResourceType<T>,
  signal: AbortSignal,
  seen: (object: T, isGone: boolean) => void,
): Promise<void> {
  let resourceVersion = (await client.list(type, { limit: 1 })).metadata.resourceVersion ?? '';
  while (!signal.aborted) {
    try {
      for await (const event of client.watch(type, { resourceVersion, signal })) {
        if (event.type === 'BOOKMARK') continue;
        resourceVersion = event.object.metadata?.resourceVersion ?? resourceVersion;
        seen(event.object, event.type === 'DELETED');
      }
    } catch (error) {
      if (!signal.aborted) console.error(`watch of ${type.plural}: ${String(error)}`);
    }
  }
}
