import {
  clusterObjectNames,
  compareQuantities,
  formatQuantity,
  type GcsStorage,
  GcsStorageDeletionPolicy,
  isGcsFaultToleranceEmbedded,
  Label,
  type PersistentVolumeClaim,
  parseQuantity,
  type Quantity,
  type RayCluster,
  type RayClusterSpec,
} from '@manta/api';
import { childMetadata } from './child-metadata.ts';
import { controllerReference } from './owner.ts';

const DEFAULT_SIZE = '1Gi';
const DEFAULT_ACCESS_MODES: readonly string[] = ['ReadWriteOnce'];

/** The PersistentVolumeClaim of an embedded GCS store; undefined without such a store, or if the user provides a claim. */
export function buildGcsClaim(cluster: RayCluster, spec: RayClusterSpec): PersistentVolumeClaim | undefined {
  const storage = storageOf(spec);
  if (!isGcsFaultToleranceEmbedded(spec) || storage.claimName) return undefined;
  const { name = '' } = cluster.metadata ?? {};
  const { ownerReferences, ...metadata } = childMetadata(cluster, clusterObjectNames.gcsClaim(name), {
    [Label.Cluster]: name,
  });
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      ...metadata,
      ...(outlivesCluster(storage) || ownerReferences === undefined ? {} : { ownerReferences }),
    },
    spec: {
      accessModes: accessModesOf(storage),
      ...(storage.storageClassName === undefined ? {} : { storageClassName: storage.storageClassName }),
      resources: { requests: { storage: sizeOf(storage) } },
    },
  };
}

/** How an existing claim differs from the spec, as text; undefined if it does not. */
export function describeClaimDrift(
  { spec: live = {} }: PersistentVolumeClaim,
  spec: RayClusterSpec,
): string | undefined {
  const storage = storageOf(spec);
  const { storageClassName } = storage;
  const size = sizeOf(storage);
  const liveSize = live.resources?.requests?.['storage'] ?? '0';
  const modes = accessModesOf(storage);
  const liveModes = live.accessModes ?? [];
  const differences = [
    ...(isSameAmount(size, liveSize) ? [] : [`requested size ${shown(size)} != current ${shown(liveSize)}`]),
    ...(storageClassName === undefined || storageClassName === live.storageClassName
      ? []
      : [`storageClassName ${storageClassName} != current ${live.storageClassName ?? '<default>'}`]),
    ...(isSameBag(modes, liveModes) ? [] : [`accessModes [${modes.join(' ')}] != current [${liveModes.join(' ')}]`]),
  ];
  return differences.length === 0 ? undefined : differences.join('; ');
}

/** The claim with the owner reference that its deletion policy requires; undefined if it is right already. */
export function alignClaimOwner(
  claim: PersistentVolumeClaim,
  cluster: RayCluster,
  spec: RayClusterSpec,
): PersistentVolumeClaim | undefined {
  const { ownerReferences: owners = [] } = claim.metadata ?? {};
  const uid = cluster.metadata?.uid ?? '';
  const isOwned = owners.some((owner) => owner.uid === uid && owner.controller === true);
  const shouldBeOwned = !outlivesCluster(storageOf(spec));
  if (isOwned === shouldBeOwned) return undefined;
  const others = owners.filter((owner) => owner.uid !== uid);
  // A claim cannot have two controllers: the API server would reject the update at every reconcile.
  if (shouldBeOwned && others.some((owner) => owner.controller === true)) return undefined;
  const ownerReferences = shouldBeOwned ? [...others, controllerReference('RayCluster', cluster)] : others;
  return { ...claim, metadata: { ...claim.metadata, ownerReferences } };
}

function storageOf({ gcsFaultToleranceOptions }: RayClusterSpec): GcsStorage {
  return gcsFaultToleranceOptions?.storage ?? {};
}

function outlivesCluster({ deletionPolicy }: GcsStorage): boolean {
  return deletionPolicy === GcsStorageDeletionPolicy.Retain;
}

function sizeOf({ size }: GcsStorage): Quantity {
  return size ?? DEFAULT_SIZE;
}

function accessModesOf({ accessModes = [] }: GcsStorage): readonly string[] {
  return accessModes.length === 0 ? DEFAULT_ACCESS_MODES : accessModes;
}

function isSameAmount(a: Quantity, b: Quantity): boolean {
  const [first, second] = [parseQuantity(a), parseQuantity(b)];
  return first.ok && second.ok ? compareQuantities(first.value, second.value) === 0 : a === b;
}

/** A quantity in Kubernetes' canonical form. */
function shown(quantity: Quantity): string {
  const amount = parseQuantity(quantity);
  return amount.ok ? formatQuantity(amount.value) : String(quantity);
}

function isSameBag(a: readonly string[], b: readonly string[]): boolean {
  return a.toSorted().join() === b.toSorted().join();
}
