import {
  Annotation,
  type Container,
  clusterObjectNames,
  EnvName,
  EnvValue,
  envByName,
  headEnv,
  isGcsFaultToleranceEmbedded,
  isGcsFaultToleranceEnabled,
  MountPath,
  type RayCluster,
  type RayClusterSpec,
  textOf,
  VolumeName,
} from '@manta/api';
import { addMissingEnv, appendEnv, hasEnv } from './container-env.ts';
import { mapRayContainer, type PodDraft, withAnnotations, withSpec } from './pod-draft.ts';
import type { StartParams } from './start-params.ts';

/** Start parameters with Redis credentials; the values come from the container's environment variables. */
export function faultToleranceParams(spec: RayClusterSpec): StartParams {
  const options = spec.gcsFaultToleranceOptions;
  if (isGcsFaultToleranceEmbedded(spec)) return {};
  return {
    ...(options?.redisUsername === undefined ? {} : { 'redis-username': '$REDIS_USERNAME' }),
    ...(options?.redisPassword === undefined ? {} : { 'redis-password': '$REDIS_PASSWORD' }),
  };
}

/** Configures the head's external GCS storage. The annotation records whether fault tolerance is enabled. */
export function withHeadFaultTolerance(
  draft: PodDraft,
  cluster: RayCluster,
  spec: RayClusterSpec,
  params: StartParams,
): PodDraft {
  if (!isGcsFaultToleranceEnabled(spec, cluster.metadata?.annotations)) {
    return withAnnotations(draft, { [Annotation.FtEnabled]: 'false' });
  }
  const marked = withAnnotations(draft, { [Annotation.FtEnabled]: 'true' });
  return isGcsFaultToleranceEmbedded(spec)
    ? withRocksDb(marked, cluster, spec)
    : withRedis(marked, cluster, spec, params);
}

/** Makes workers wait long enough for a new head to start. */
export function withWorkerFaultTolerance(draft: PodDraft, cluster: RayCluster, spec: RayClusterSpec): PodDraft {
  if (!isGcsFaultToleranceEnabled(spec, cluster.metadata?.annotations)) return draft;
  const timeout = {
    name: EnvName.GcsRpcServerReconnectTimeoutSeconds,
    value: EnvValue.GcsRpcServerReconnectTimeoutSeconds,
  };
  return mapRayContainer(draft, (container) => addMissingEnv(container, [timeout]));
}

/** The Redis namespace of this cluster's state: its uid unless the user set one. */
export function storageNamespaceOf(cluster: RayCluster): string {
  return (
    cluster.spec?.gcsFaultToleranceOptions?.externalStorageNamespace ||
    cluster.metadata?.annotations?.[Annotation.ExternalStorageNamespace] ||
    (cluster.metadata?.uid ?? '')
  );
}

/** The namespace that Ray uses: a variable in the user's head container overrides it. */
export function usedStorageNamespace(cluster: RayCluster): string {
  const own = envByName(headEnv(cluster.spec), EnvName.ExternalStorageNamespace);
  return textOf(own?.value) || storageNamespaceOf(cluster);
}

function withRedis(draft: PodDraft, cluster: RayCluster, spec: RayClusterSpec, params: StartParams): PodDraft {
  const namespace = storageNamespaceOf(cluster);
  const annotated = withAnnotations(draft, { [Annotation.ExternalStorageNamespace]: namespace });
  return mapRayContainer(annotated, (container) => {
    const named = addMissingEnv(container, [{ name: EnvName.ExternalStorageNamespace, value: namespace }]);
    return withRedisCredentials(named, spec, params);
  });
}

function withRedisCredentials(container: Container, spec: RayClusterSpec, params: StartParams): Container {
  const options = spec.gcsFaultToleranceOptions;
  if (options === undefined) {
    // Legacy configuration by annotation: the password is a start parameter, and the cleanup Job needs it as a variable.
    const password = params['redis-password'];
    return password === undefined || hasEnv(container, EnvName.RedisPassword)
      ? container
      : appendEnv(container, [{ name: EnvName.RedisPassword, value: password }]);
  }
  return appendEnv(container, [
    { name: EnvName.RayRedisAddress, value: options.redisAddress ?? '' },
    ...(options.redisUsername === undefined ? [] : [{ name: EnvName.RedisUsername, ...options.redisUsername }]),
    ...(options.redisPassword === undefined ? [] : [{ name: EnvName.RedisPassword, ...options.redisPassword }]),
  ]);
}

function withRocksDb(draft: PodDraft, cluster: RayCluster, spec: RayClusterSpec): PodDraft {
  const storage = spec.gcsFaultToleranceOptions?.storage;
  const claimName = clusterObjectNames.gcsClaim(cluster.metadata?.name ?? '', storage?.claimName);
  const mount = {
    name: VolumeName.GcsStorage,
    mountPath: MountPath.GcsStorage,
    ...(storage?.subPath ? { subPath: storage.subPath } : {}),
  };
  const wired = mapRayContainer(draft, (container) => {
    const configured = addMissingEnv(container, [
      { name: EnvName.GcsStorage, value: EnvValue.GcsStorageRocksDb },
      { name: EnvName.GcsStoragePath, value: MountPath.GcsStorage },
    ]);
    return { ...configured, volumeMounts: [...(configured.volumeMounts ?? []), mount] };
  });
  const volume = { name: VolumeName.GcsStorage, persistentVolumeClaim: { claimName } };
  return withSpec(wired, { volumes: [...(wired.spec.volumes ?? []), volume] });
}
