import {
  desiredReplicas,
  type FeatureGates,
  hostsPerReplica,
  isManagedExternally,
  type KubeObject,
  podNames,
  type RayCluster,
  type RayClusterSpec,
  randomSuffix,
  specHash,
  validateRayClusterMetadata,
  validateRayClusterPrerequisites,
  validateRayClusterSpec,
  validateRayClusterUpgradeStrategy,
  type WorkerGroupSpec,
} from '@manta/api';
import {
  atPlace,
  type BuildContext,
  buildAuthSecret,
  buildAutoscalerRole,
  buildAutoscalerRoleBinding,
  buildAutoscalerServiceAccount,
  buildGcsClaim,
  buildHeadlessService,
  buildHeadPod,
  buildHeadService,
  buildIngress,
  buildRoute,
  buildServeService,
  buildWorkerPod,
  type ReplicaPlace,
  stampHeadPod,
  wantsServeService,
} from '@manta/plan';

/** What else is installed where the cluster lives. */
export interface Installed {
  readonly certManager: boolean;
  readonly openShift: boolean;
}

/** Would the operator leave the cluster alone, because it is invalid or somebody else's? */
export function isLeftAlone(cluster: RayCluster, gates: FeatureGates, installed: Installed): boolean {
  const { metadata, spec } = cluster;
  const error =
    validateRayClusterMetadata(metadata) ??
    validateRayClusterSpec(spec, metadata?.annotations, gates) ??
    validateRayClusterPrerequisites(spec, gates, installed) ??
    validateRayClusterUpgradeStrategy(cluster);
  return error !== undefined || isManagedExternally(spec);
}

/** Everything that a valid cluster has when all is well. */
export function childrenOf(
  cluster: RayCluster,
  spec: RayClusterSpec,
  context: BuildContext,
  { openShift }: Installed,
): readonly KubeObject[] {
  return [
    ...(spec.suspend === true ? [] : podsOf(cluster, spec, context)),
    buildHeadService(cluster, spec, context),
    wantsServeService(cluster) ? buildServeService(cluster, spec) : undefined,
    buildHeadlessService(cluster, spec),
    openShift ? buildRoute(cluster, spec) : buildIngress(cluster, spec),
    buildAutoscalerServiceAccount(cluster, spec),
    buildAutoscalerRole(cluster, spec),
    buildAutoscalerRoleBinding(cluster, spec),
    buildAuthSecret(cluster, spec, new Uint8Array(32)),
    buildGcsClaim(cluster, spec),
  ].filter((child) => child !== undefined);
}

function podsOf(cluster: RayCluster, spec: RayClusterSpec, context: BuildContext): readonly KubeObject[] {
  const head = stampHeadPod(buildHeadPod(cluster, spec, context), specHash(spec), context.operatorVersion);
  const workers = (spec.workerGroupSpecs ?? []).flatMap((group) => {
    const worker = buildWorkerPod(cluster, spec, group, context);
    return placesOf(group, context.gates).map((place) => (place === undefined ? worker : atPlace(worker, place)));
  });
  return [head, ...workers];
}

function placesOf(group: WorkerGroupSpec, gates: FeatureGates): readonly (ReplicaPlace | undefined)[] {
  const hosts = hostsPerReplica(group);
  const replicas = Array.from({ length: desiredReplicas(group) }, (_, index) => index);
  return replicas.flatMap((index): readonly (ReplicaPlace | undefined)[] => {
    if (!gates.RayMultiHostIndexing) return Array.from({ length: hosts }, () => undefined);
    if (hosts === 1) return [{ index }];
    const replicaName = podNames.replica(group.groupName, randomSuffix(Math.random));
    return Array.from({ length: hosts }, (_, host) => ({ index, host: { replicaName, index: host } }));
  });
}
