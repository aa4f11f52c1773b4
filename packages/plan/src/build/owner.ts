import type { KubeObject, OwnerReference } from '@manta/api';

/** Says that `owner`, of our own API group, made the object and that it goes when the owner goes. */
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
