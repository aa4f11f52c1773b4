import type { ChildKind } from '@manta/plan';
import type { Informer } from '@manta/runtime';
import { missingPermissionIn } from '../permissions/missing-permission.ts';
import { informerOf, type RayClusterCache } from './ray-cluster-cache.ts';

const OPTIONAL: readonly ChildKind[] = [
  'Job',
  'ServiceAccount',
  'Role',
  'RoleBinding',
  'Secret',
  'Ingress',
  'Route',
  'PersistentVolumeClaim',
  'PodDisruptionBudget',
];

/** The kinds besides pods and Services that the operator may not read in a namespace, each with the missing permission. */
export function unreadableKinds(cache: RayClusterCache, namespace: string): ReadonlyMap<ChildKind, string> {
  const missing = new Map<ChildKind, string>();
  for (const kind of OPTIONAL) {
    const informer = informerOf(cache, kind);
    const permission = informer === undefined ? undefined : whyForbidden(informer, namespace);
    if (permission !== undefined) missing.set(kind, permission);
  }
  return missing;
}

/** The missing permissions to read pods and Services, without which nothing can be decided; empty when both may be read. */
export function missingRequiredPermissions({ pods, services }: RayClusterCache, namespace: string): readonly string[] {
  return [pods, services].flatMap((informer) => {
    if (informer.isReady(namespace)) return [];
    return [whyForbidden(informer, namespace) ?? `list ${informer.type.plural}`];
  });
}

function whyForbidden(informer: Informer, namespace: string): string | undefined {
  const trouble = informer
    .status()
    .troubles.find((each) => each.kind === 'forbidden' && (each.namespace ?? namespace) === namespace);
  return trouble === undefined ? undefined : (missingPermissionIn(trouble.message) ?? trouble.message);
}
