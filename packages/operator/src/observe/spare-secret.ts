import type { RayCluster } from '@manta/api';
import { spareObjectName, wantsAuthSecret } from '@manta/plan';
import { toKey } from '@manta/runtime';
import type { RayClusterCache } from './ray-cluster-cache.ts';

type Cache = {
  readonly pods: Pick<RayClusterCache['pods'], 'by'>;
  readonly secrets: Pick<RayClusterCache['secrets'], 'get'>;
};

/**
 * The cluster with the name of its token Secret filled in, if another cluster has the Secret with the default name. While the own Secret does
 * not exist, the name comes from the pods: this cluster must never use the other's token.
 */
export function withSpareSecret(cluster: RayCluster, { pods, secrets }: Cache): RayCluster {
  const { metadata, spec } = cluster;
  const { name = '', namespace = '', uid } = metadata ?? {};
  const secretName = spareObjectName(name);
  if (secretName === undefined || spec === undefined || !wantsAuthSecret(spec)) return cluster;
  const isThere = secrets.get(toKey(namespace, secretName))?.owner === uid;
  const isKnown = () => pods.by('cluster', toKey(namespace, name)).some((pod) => pod.owner === uid && pod.knowsSpare);
  if (!isThere && !isKnown()) return cluster;
  return { ...cluster, spec: { ...spec, authOptions: { ...spec.authOptions, secretName } } };
}
