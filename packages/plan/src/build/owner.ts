import type { KubeObject, OwnerReference } from '@manta/api';

/** The controller owner reference to `owner`, a custom resource of ray.io: garbage collection deletes the object with it. */
export function controllerReference(kind: string, owner: KubeObject): OwnerReference {
  return {
    apiVersion: 'ray.io/v1',
    kind,
    name: owner.metadata?.name ?? '',
    uid: owner.metadata?.uid ?? '',
    controller: true,
    blockOwnerDeletion: true,
  };
}
