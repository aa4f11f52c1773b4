import type { KubeObject, OwnerReference } from '@manta/api';
import type { StoredMeta } from '@manta/apiserver';

/** The reference that makes an object the controller's own. */
export function controllerReference(
  owner: { readonly apiVersion: string; readonly kind: string },
  metadata: StoredMeta,
): OwnerReference {
  const { name, uid } = metadata;
  return { ...owner, name, uid, controller: true, blockOwnerDeletion: true };
}

/** The owner that controls an object. */
export function controllerOf(object: KubeObject): OwnerReference | undefined {
  return object.metadata?.ownerReferences?.find(({ controller }) => controller === true);
}
