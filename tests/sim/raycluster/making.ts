import type { Environment } from '@manta/api';
import type { KubeClient } from '@manta/kube';
import type { World } from '@manta/runtime';

/** A mistake, and how the operator is brought to make it. */
export interface Making {
  readonly says: string;
  readonly env?: Environment;
  readonly client?: (inner: KubeClient, world: World) => KubeClient;
}
