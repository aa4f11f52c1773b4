import type { KubeClient } from '@manta/kube';
import type { BuildContext } from '@manta/plan';
import type { RayPoller } from '@manta/ray';
import type { ObjectKey } from '@manta/runtime';
import type { ServeConfigs } from './parsed-serve-configs.ts';
import type { RayClusterCache } from './ray-cluster-cache.ts';
import type { RayHeads } from './ray-heads.ts';
import type { RayServiceCache } from './rayservice-cache.ts';

/** What observing needs besides the key. */
export interface RayServiceObserver {
  readonly cache: RayClusterCache;
  readonly serviceCache: RayServiceCache;
  readonly client: KubeClient;
  readonly heads: RayHeads;
  readonly poller: RayPoller;
  readonly throughApiServer: boolean;
  readonly context: BuildContext;
  readonly configs: ServeConfigs;
  readonly now: () => number;
}

/** The name under which the poller keeps questions and commands of a service. */
export function pollerOwner(key: ObjectKey): string {
  return `rayservice/${key}`;
}
