import type { PersistentVolumeClaim } from '@manta/api';
import {
  type Cluster,
  type Controller,
  joinKey,
  nameOf,
  persistentVolumeClaims,
  readAll,
  readOne,
  splitKey,
  type Stored,
} from '@manta/controllers';

/**
 * Binds every claim: its data will be a folder of this machine, which is there as soon as a pod wants it. No volume object stands behind it.
 * Calls back when a claim was deleted, so that its data can be deleted.
 */
export function claimBinder({ store, writes }: Cluster, onGone: () => void): Controller {
  return {
    name: 'claim-binder',
    watches: [nameOf(persistentVolumeClaims)],
    keysOf: ({ key }) => [joinKey(key.namespace, key.name)],
    reconcile: async (key) => {
      const { namespace, name } = splitKey(key);
      const claim = readOne(store, persistentVolumeClaims, namespace, name);
      if (claim === undefined) onGone();
      else if (claim.status?.phase !== 'Bound' && claim.metadata.deletionTimestamp === undefined) {
        const status = { ...claim.status, phase: 'Bound' as const, ...promises(claim) };
        await writes.update(persistentVolumeClaims, { ...claim, status }, { subresource: 'status' });
      }
      return undefined;
    },
  };
}

/** What the claim asks for, it has. */
function promises({ spec }: Stored<PersistentVolumeClaim>) {
  const { accessModes, resources } = spec ?? {};
  return {
    ...(accessModes === undefined ? {} : { accessModes }),
    ...(resources?.requests === undefined ? {} : { capacity: resources.requests }),
  };
}

/** The identities of the claims that there are. */
export function livingClaims({ store }: Pick<Cluster, 'store'>): ReadonlySet<string> {
  return new Set(readAll(store, persistentVolumeClaims).map(({ metadata }) => metadata.uid));
}
