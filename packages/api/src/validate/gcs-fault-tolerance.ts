/** GCS fault tolerance: said once, and nothing that we manage is set by hand. */
import { Annotation } from '../annotations.ts';
import { gcsBackendOf } from '../defaults.ts';
import { EnvName } from '../env.ts';
import type { FeatureGates } from '../feature-gates.ts';
import { isSet, type Loose, listOf, textAt, textOf } from '../loose.ts';
import { headEnv, isGcsFaultToleranceEnabled } from '../predicates.ts';
import { GcsBackend, type GcsFaultToleranceOptions, type HeadGroupSpec } from '../raycluster.ts';
import { MountPath, VolumeName } from '../volumes.ts';
import { type FieldError, fieldError, firstError } from './field-error.ts';
import { type ClusterInput, hasEnv, mountsOf, rayContainerOf } from './input.ts';

type Options = Loose<GcsFaultToleranceOptions>;

/** All rules on fault tolerance, in their order. */
export function checkGcsFaultTolerance(input: ClusterInput): FieldError | undefined {
  return firstError(input, [checkOneSwitch, checkImplicitRedis, checkOptions, checkRedisUsername]);
}

function checkOneSwitch({ spec, annotations }: ClusterInput): FieldError | undefined {
  const { FtEnabled } = Annotation;
  if (textAt(annotations, FtEnabled) === '' || !isSet(spec?.gcsFaultToleranceOptions)) return undefined;
  const advice = 'Please use only GcsFaultToleranceOptions to configure GCS fault tolerance';
  return fieldError(
    `metadata.annotations[${FtEnabled}]`,
    `${FtEnabled} annotation and GcsFaultToleranceOptions are both set. ${advice}`,
  );
}

function checkImplicitRedis({ spec, annotations, at }: ClusterInput): FieldError | undefined {
  const name = EnvName.RayRedisAddress;
  if (isGcsFaultToleranceEnabled(spec, annotations) || !hasEnv(headEnv(spec), name)) return undefined;
  const problem = `${name} is set which implicitly enables GCS fault tolerance, but GcsFaultToleranceOptions is not set`;
  const advice = 'Please set GcsFaultToleranceOptions to enable GCS fault tolerance';
  return fieldError(headEnvPath(at), `${problem}. ${advice}`);
}

function checkOptions(input: ClusterInput): FieldError | undefined {
  const options = input.spec?.gcsFaultToleranceOptions;
  if (!isSet(options)) return undefined;
  return (
    checkSetElsewhere(input) ??
    (gcsBackendOf(options) === GcsBackend.RocksDB
      ? checkRocksDb(options, input)
      : checkRedis(options, `${input.at}.gcsFaultToleranceOptions`))
  );
}

/** What belongs into the options may not also stand in parameters, variables or annotations. */
function checkSetElsewhere({ spec, annotations, at }: ClusterInput): FieldError | undefined {
  const env = headEnv(spec);
  if (textAt(spec?.headGroupSpec?.rayStartParams, 'redis-password') !== '') {
    return setElsewhere(`${at}.headGroupSpec.rayStartParams`, '`redis-password` in rayStartParams', 'RedisPassword');
  }
  if (hasEnv(env, EnvName.RedisPassword)) {
    return setElsewhere(headEnvPath(at), '`REDIS_PASSWORD` env var in head Pod', 'RedisPassword');
  }
  if (hasEnv(env, EnvName.RayRedisAddress)) {
    return setElsewhere(headEnvPath(at), '`RAY_REDIS_ADDRESS` env var in head Pod', 'RedisAddress');
  }
  const annotation = Annotation.ExternalStorageNamespace;
  if (textAt(annotations, annotation) !== '') {
    return setElsewhere(
      `metadata.annotations[${annotation}]`,
      `\`${annotation}\` annotation`,
      'ExternalStorageNamespace',
    );
  }
  return undefined;
}

function setElsewhere(field: string, what: string, option: string): FieldError {
  const message = `cannot set ${what} when GcsFaultToleranceOptions is enabled - use GcsFaultToleranceOptions.${option} instead`;
  return fieldError(field, message);
}

function checkRocksDb(options: Options, { spec, gates, at }: ClusterInput): FieldError | undefined {
  const path = `${at}.gcsFaultToleranceOptions`;
  return (
    checkRocksDbGate(gates, path) ??
    checkNoRedisOptions(options, path) ??
    checkStorage(options, path) ??
    checkManagedStorage(spec?.headGroupSpec, `${at}.headGroupSpec.template.spec`)
  );
}

function checkRocksDbGate(gates: FeatureGates, path: string): FieldError | undefined {
  if (gates.GCSFaultToleranceEmbeddedStorage) return undefined;
  const backend = "the embedded RocksDB GCS fault tolerance backend (GcsFaultToleranceOptions.Backend: 'rocksdb')";
  const message = `${backend} requires the GCSFaultToleranceEmbeddedStorage feature gate to be enabled`;
  return fieldError(`${path}.backend`, message);
}

function checkNoRedisOptions(options: Options, path: string): FieldError | undefined {
  const refuse = (field: string, name: string) =>
    fieldError(`${path}.${field}`, `cannot set GcsFaultToleranceOptions.${name} when backend is 'rocksdb'`);
  if (textOf(options?.redisAddress) !== '') return refuse('redisAddress', 'RedisAddress');
  if (isSet(options?.redisUsername)) return refuse('redisUsername', 'RedisUsername');
  if (isSet(options?.redisPassword)) return refuse('redisPassword', 'RedisPassword');
  if (textOf(options?.externalStorageNamespace) !== '') {
    return refuse('externalStorageNamespace', 'ExternalStorageNamespace');
  }
  return undefined;
}

function checkStorage(options: Options, path: string): FieldError | undefined {
  const storage = options?.storage;
  if (textOf(storage?.claimName) === '') return undefined;
  if (!isSet(storage?.size) && !isSet(storage?.storageClassName) && listOf(storage?.accessModes).length === 0) {
    return undefined;
  }
  const rule = 'is mutually exclusive with size, storageClassName, and accessModes';
  return fieldError(`${path}.storage.claimName`, `GcsFaultToleranceOptions.Storage.ClaimName ${rule}`);
}

function checkManagedStorage(head: Loose<HeadGroupSpec>, podPath: string): FieldError | undefined {
  const container = rayContainerOf(head);
  const volume = VolumeName.GcsStorage;
  if (hasEnv(container?.env, EnvName.GcsStorage) || hasEnv(container?.env, EnvName.GcsStoragePath)) {
    const names = `\`${EnvName.GcsStorage}\` or \`${EnvName.GcsStoragePath}\``;
    return managed(`${podPath}.containers[0].env`, `${names} env var in head Pod`, 'these are managed by KubeRay');
  }
  const mounts = mountsOf(container);
  if (mounts.some((mount) => mount?.mountPath === MountPath.GcsStorage || mount?.name === volume)) {
    const what = `a volume mount named "${volume}" or mounted at ${MountPath.GcsStorage} in the head container`;
    return managed(`${podPath}.containers[0].volumeMounts`, what, 'it is managed by KubeRay');
  }
  if (listOf(head?.template?.spec?.volumes).some((each) => each?.name === volume)) {
    return managed(`${podPath}.volumes`, `a volume named "${volume}" in the head Pod`, 'it is managed by KubeRay');
  }
  return undefined;
}

function managed(field: string, what: string, why: string): FieldError {
  return fieldError(field, `cannot set ${what} when the embedded GCS FT backend is used - ${why}`);
}

function checkRedis(options: Options, path: string): FieldError | undefined {
  if (!isSet(options?.storage)) return undefined;
  const message =
    "cannot set GcsFaultToleranceOptions.Storage when backend is 'redis' - it only applies to the 'rocksdb' backend";
  return fieldError(`${path}.storage`, message);
}

function checkRedisUsername({ spec, at }: ClusterInput): FieldError | undefined {
  const inParams = textAt(spec?.headGroupSpec?.rayStartParams, 'redis-username') !== '';
  if (!inParams && !hasEnv(headEnv(spec), EnvName.RedisUsername)) return undefined;
  return fieldError(
    inParams ? `${at}.headGroupSpec.rayStartParams` : headEnvPath(at),
    'cannot set redis username in rayStartParams or environment variables - use GcsFaultToleranceOptions.RedisUsername instead',
  );
}

function headEnvPath(at: string): string {
  return `${at}.headGroupSpec.template.spec.containers[0].env`;
}
