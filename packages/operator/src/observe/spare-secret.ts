import type { RayCluster } from '@manta/api';
import { type NamedRecord, spareObjectName, wantsAuthSecret } from '@manta/plan';
import { type Informer, toKey } from '@manta/runtime';

/** The cluster as those see it who need its token: it names the Secret where another cluster has the usual name. */
export function withSpareSecret(cluster: RayCluster, secrets: Pick<Informer<NamedRecord>, 'get'>): RayCluster {
  const { metadata, spec } = cluster;
  const secretName = spareObjectName(metadata?.name ?? '');
  if (secretName === undefined || spec === undefined || !wantsAuthSecret(spec)) return cluster;
  if (secrets.get(toKey(metadata?.namespace ?? '', secretName))?.owner !== metadata?.uid) return cluster;
  return { ...cluster, spec: { ...spec, authOptions: { ...spec.authOptions, secretName } } };
}
