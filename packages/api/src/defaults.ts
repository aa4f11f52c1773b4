/** Defaults that we fill in ourselves, in memory; all others come from the CRD or are applied where objects are built. */
import { isRecord, isSet, type Loose, textOf } from './loose.ts';
import {
  GcsBackend,
  type GcsFaultToleranceOptions,
  NetworkPolicyMode,
  type NetworkPolicyOptions,
  type RayCluster,
  type RayClusterSpec,
  type WorkerGroupSpec,
} from './raycluster.ts';

/** The cluster with its defaults, as validation, hashing and building expect it; the same object where none is missing. */
export function withRayClusterDefaults(cluster: RayCluster): RayCluster {
  const { spec } = cluster;
  if (!isRecord(spec)) return cluster;
  const defaulted = withRayClusterSpecDefaults(spec);
  return defaulted === spec ? cluster : { ...cluster, spec: defaulted };
}

/** The spec with empty `rayStartParams` where a group has none; the same object where none is missing. */
export function withRayClusterSpecDefaults(spec: RayClusterSpec): RayClusterSpec {
  const headGroupSpec = withStartParams(spec.headGroupSpec);
  const groups: readonly WorkerGroupSpec[] | undefined = spec.workerGroupSpecs;
  const workerGroupSpecs = Array.isArray(groups) ? mapKeepingIdentity(groups, withStartParams) : groups;
  if (headGroupSpec === spec.headGroupSpec && workerGroupSpecs === groups) return spec;
  return { ...spec, headGroupSpec, ...(workerGroupSpecs === undefined ? {} : { workerGroupSpecs }) };
}

function withStartParams<Group extends object>(group: Group): Group {
  if (!isRecord(group) || isSet(group['rayStartParams'])) return group;
  return { ...group, rayStartParams: {} };
}

function mapKeepingIdentity<Item>(items: readonly Item[], change: (item: Item) => Item): readonly Item[] {
  const changed = items.map(change);
  return changed.some((item, index) => item !== items[index]) ? changed : items;
}

/** Where the GCS keeps its state; Redis unless said otherwise. */
export function gcsBackendOf(options: Loose<GcsFaultToleranceOptions>): GcsBackend {
  return textOf(options?.backend) === GcsBackend.RocksDB ? GcsBackend.RocksDB : GcsBackend.Redis;
}

/** Which directions are closed; both unless said otherwise. */
export function networkPolicyModeOf(policy: Loose<NetworkPolicyOptions>): NetworkPolicyMode {
  const mode = policy?.mode;
  return Object.values(NetworkPolicyMode).find((known) => known === mode) ?? NetworkPolicyMode.DenyAll;
}
