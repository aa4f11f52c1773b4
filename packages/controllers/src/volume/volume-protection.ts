import type { KubeObject, Pod } from '@manta/api';
import type { ResourceType } from '@manta/kube';
import { type Cluster, joinKey, nameOf, readAll, readOne, type Stored, splitKey } from '../framework/cluster.ts';
import type { Controller } from '../framework/controller.ts';
import { persistentVolumeClaims, persistentVolumes, pods } from '../framework/kinds.ts';
import { hasPodEnded } from '@manta/apiserver';

const CLAIM_FINALIZER = 'kubernetes.io/pvc-protection';
const VOLUME_FINALIZER = 'kubernetes.io/pv-protection';

/** Protects claims in use by pods, and volumes in use by claims, with finalizers until they are no longer used. */
export function volumeProtection(cluster: Cluster): Controller {
  const { store } = cluster;
  return {
    name: 'volume-protection',
    watches: [persistentVolumeClaims, persistentVolumes, pods].map(nameOf),
    keysOf: ({ key, object }) => {
      if (key.resource !== nameOf(pods)) return [joinKey(key.namespace, key.name)];
      return claimsOf(object).map((claim) => joinKey(key.namespace, claim));
    },
    reconcile: async (key) => {
      const { namespace, name } = splitKey(key);
      if (namespace === '') {
        const volume = readOne(store, persistentVolumes, '', name);
        const isBound = volume?.status?.phase === 'Bound';
        if (volume !== undefined) await protect(cluster, persistentVolumes, volume, VOLUME_FINALIZER, isBound);
        return undefined;
      }
      const claim = readOne(store, persistentVolumeClaims, namespace, name);
      if (claim === undefined) return undefined;
      const isUsed = readAll(store, pods, namespace).some((pod) => isUsing(pod, name));
      await protect(cluster, persistentVolumeClaims, claim, CLAIM_FINALIZER, isUsed);
      return undefined;
    },
  };
}

async function protect<T extends KubeObject>(
  { writes }: Cluster,
  type: ResourceType<T>,
  { metadata }: Stored<T>,
  finalizer: string,
  isUsed: boolean,
): Promise<void> {
  const { finalizers = [], deletionTimestamp, resourceVersion } = metadata;
  const isHeld = finalizers.includes(finalizer);
  const isDeleting = deletionTimestamp !== undefined;
  if (isDeleting ? isUsed || !isHeld : isHeld) return;
  const next = isDeleting ? finalizers.filter((other) => other !== finalizer) : [...finalizers, finalizer];
  const body = { metadata: { resourceVersion, finalizers: next.length === 0 ? null : next } };
  await writes.patch(type, metadata, { type: 'merge', body });
}

/** A pod uses its claims from the moment it has a node until it has ended. */
function isUsing(pod: Stored<Pod>, claim: string): boolean {
  return pod.spec?.nodeName !== undefined && !hasPodEnded(pod) && claimsOf(pod).includes(claim);
}

function claimsOf({ spec, metadata }: Pod): readonly string[] {
  return (spec?.volumes ?? []).flatMap(({ persistentVolumeClaim, ephemeral, name }) => {
    if (persistentVolumeClaim !== undefined) return [persistentVolumeClaim.claimName];
    return ephemeral === undefined ? [] : [`${metadata?.name}-${name}`];
  });
}
