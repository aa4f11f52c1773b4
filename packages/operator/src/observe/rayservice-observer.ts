import type { KubeClient } from '@manta/kube';
import type { BuildContext, ServiceMemory } from '@manta/plan';
import type { RayPoller } from '@manta/ray';
import type { ObjectKey } from '@manta/runtime';
import type { ServeConfigs } from './parsed-serve-configs.ts';
import type { RayClusterCache } from './ray-cluster-cache.ts';
import type { RayHeads } from './ray-heads.ts';
import type { RayServiceCache } from './rayservice-cache.ts';

/** What observing needs besides the key. */
export interface RayServiceObserver {
  readonly cache: RayClusterCache;
  readonly services: RayServiceCache;
  readonly client: KubeClient;
  readonly heads: RayHeads;
  readonly poller: RayPoller;
  readonly throughApiServer: boolean;
  readonly context: BuildContext;
  readonly configs: ServeConfigs;
  readonly memories: ReadonlyMap<ObjectKey, ServiceMemory>;
  readonly now: () => number;
}

/** By this name the poller knows a service. */
export function ownerOf(key: ObjectKey): string {
  return `rayservice/${key}`;
}
