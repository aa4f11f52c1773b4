import { DEFAULT_IMAGE, IMAGE_REPOSITORY, RAY_VERSION, type StringMap } from '@manta/api';

export { DEFAULT_IMAGE, IMAGE_REPOSITORY, RAY_VERSION } from '@manta/api';

/** A RayCluster in the few words that people need; flags and `--file` both end up here. Quantities are texts such as `2` or `4Gi`. */
export interface ClusterConfig {
  readonly namespace?: string;
  readonly name?: string;
  readonly labels?: StringMap;
  readonly annotations?: StringMap;
  readonly rayVersion: string;
  readonly image: string;
  readonly serviceAccount?: string;
  readonly head: NodeConfig;
  readonly workerGroups: readonly WorkerGroupConfig[];
  readonly autoscaler?: AutoscalerVersion;
  readonly gcsfuse?: GcsfuseConfig;
}

export interface NodeConfig {
  readonly cpu?: string;
  readonly memory?: string;
  readonly gpu?: string;
  readonly ephemeralStorage?: string;
  readonly rayStartParams?: StringMap;
  readonly nodeSelectors?: StringMap;
}

export interface WorkerGroupConfig extends NodeConfig {
  readonly name?: string;
  readonly replicas: number;
  readonly numOfHosts?: number;
  readonly tpu?: string;
}

export type AutoscalerVersion = 'v1' | 'v2';

/** Cloud Storage FUSE on GKE: a bucket mounted into every Ray pod. */
export interface GcsfuseConfig {
  readonly bucketName: string;
  readonly mountPath: string;
  readonly mountOptions?: string;
  readonly disableMetrics?: boolean;
  readonly metadataPrefetchOnMount?: boolean;
  readonly skipCsiBucketAccessCheck?: boolean;
  readonly resources?: { readonly cpu?: string; readonly memory?: string; readonly ephemeralStorage?: string };
}

export const DEFAULT_GROUP = 'default-group';

/** The image for a Ray version: the one that was asked for, or the official one of that version. */
export function imageFor(image: string, rayVersion: string): string {
  const isDefault = image === '' || (image === DEFAULT_IMAGE && rayVersion !== RAY_VERSION);
  return isDefault ? `${IMAGE_REPOSITORY}:${rayVersion}` : image;
}
