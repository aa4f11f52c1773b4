import { describe, expect, it } from 'vitest';
import type { Container, EnvVar } from '../core.gen.ts';
import { defaultFeatureGates, type FeatureGates } from '../feature-gates.ts';
import type { HeadGroupSpec, RayCluster, RayClusterSpec, WorkerGroupSpec } from '../raycluster.ts';
import {
  podTemplate,
  rayCluster,
  withAnnotations,
  withHead,
  withLabels,
  withSpec,
  withWorkerGroup,
} from '../testing/fixtures.ts';
import {
  validateRayClusterMetadata,
  validateRayClusterPrerequisites,
  validateRayClusterSpec,
  validateRayClusterStatus,
  validateRayClusterUpgradeStrategy,
  warnAboutRayClusterSpec,
} from './raycluster.ts';

type Change = (cluster: RayCluster) => RayCluster;
type Case = readonly [changes: readonly Change[], field: string, message: string];

const ALL_GATES: FeatureGates = {
  ...defaultFeatureGates(),
  RayClusterNetworkPolicy: true,
  GCSFaultToleranceEmbeddedStorage: true,
  RayClusterMTLS: true,
  RayClusterHistoryServer: true,
};

function validate(changes: readonly Change[], gates: FeatureGates = ALL_GATES) {
  const { spec, metadata } = rayCluster('demo', ...changes);
  return validateRayClusterSpec(spec, metadata?.annotations, gates);
}

const spec = (fields: Partial<RayClusterSpec>): Change => withSpec<RayCluster>(fields);
const group = (fields: Partial<WorkerGroupSpec>): Change => withWorkerGroup('small', fields);
const autoscaling = spec({ enableInTreeAutoscaling: true });
const autoscalerV2 = spec({ enableInTreeAutoscaling: true, autoscalerOptions: { version: 'v2' } });

function template(container: Partial<Container>, pod: object = {}): HeadGroupSpec['template'] {
  return { spec: { containers: [{ name: 'ray', ...container }], ...pod } };
}

const headWith = (container: Partial<Container>, pod?: object): Change =>
  withHead({ template: template(container, pod) });
const env = (name: string, value = 'x'): { env: EnvVar[] } => ({ env: [{ name, value }] });
const rocksdb = (fields: object = {}): Change => spec({ gcsFaultToleranceOptions: { backend: 'rocksdb', ...fields } });
const collector = (...variables: EnvVar[]): Change =>
  spec({ historyServerOptions: { collectorOptions: { image: 'collector', env: variables } } });
const backend = (value: string): EnvVar => ({ name: 'STORAGE_BACKEND', value });
const tls = spec({ tlsOptions: { enabled: true } });
const TLS_REASON = 'when tlsOptions is set - the operator manages TLS configuration automatically';
const IDLE_ADVICE =
  "Please set .spec.autoscalerOptions.version to 'v2' (or set RAY_enable_autoscaler_v2 environment variable to 'true' in the head pod if using KubeRay < 1.4.0)";

const REFUSALS: Readonly<Record<string, Case>> = {
  'a head without containers': [
    [withHead({ template: { spec: { containers: [] } } })],
    'spec.headGroupSpec.template.spec.containers',
    'headGroupSpec should have at least one container',
  ],
  'head resources said twice': [
    [withHead({ rayStartParams: { memory: '1' }, resources: { cpu: '1' } })],
    'spec.headGroupSpec.resources',
    'resource fields should not be set in both rayStartParams and Resources for Head group; please use only one',
  ],
  'head labels as a start parameter, even an empty one': [
    [withHead({ rayStartParams: { labels: '' } })],
    'spec.headGroupSpec.rayStartParams',
    "rayStartParams['labels'] is not supported for Head group; please use the top-level Labels field instead",
  ],
  'a worker group without containers': [
    [group({ template: { spec: { containers: [] } } })],
    'spec.workerGroupSpecs[0].template.spec.containers',
    'workerGroupSpec should have at least one container',
  ],
  'a missing bound without autoscaling': [
    [(cluster) => withoutMax(group({})(cluster))],
    'spec.workerGroupSpecs[0].maxReplicas',
    'worker group small must set both minReplicas and maxReplicas when autoscaling is disabled',
  ],
  'a negative lower bound, autoscaling or not': [
    [autoscaling, group({ minReplicas: -1 })],
    'spec.workerGroupSpecs[0].minReplicas',
    'worker group small has negative minReplicas -1',
  ],
  'a negative upper bound': [
    [group({ maxReplicas: -2 })],
    'spec.workerGroupSpecs[0].maxReplicas',
    'worker group small has negative maxReplicas -2',
  ],
  'bounds the wrong way round, told of the group that has them': [
    [withWorkerGroup('fine'), group({ minReplicas: 6 })],
    'spec.workerGroupSpecs[1].minReplicas',
    'worker group small has minReplicas 6 greater than maxReplicas 5',
  ],
  'a negative idle timeout of a group': [
    [autoscalerV2, group({ idleTimeoutSeconds: -5 })],
    'spec.workerGroupSpecs[0].idleTimeoutSeconds',
    'worker group small: idleTimeoutSeconds must be non-negative, got -5',
  ],
  'an idle timeout of a group where nothing says autoscaler v2': [
    [autoscaling, group({ idleTimeoutSeconds: 0 })],
    'spec.workerGroupSpecs[0].idleTimeoutSeconds',
    `worker group small: idleTimeoutSeconds is set, but autoscaler v2 is not enabled. ${IDLE_ADVICE}`,
  ],
  'a priority with a version that is none': [
    [spec({ rayVersion: 'nightly' }), group({ priority: 1 })],
    'spec.workerGroupSpecs[0].priority',
    'worker group small: priority is set, but RayVersion format is invalid: nightly, could not parse "nightly" as version',
  ],
  'a priority with one number as version': [
    [spec({ rayVersion: '2' }), group({ priority: 1 })],
    'spec.workerGroupSpecs[0].priority',
    'worker group small: priority is set, but RayVersion format is invalid: 2, illegal version string "2"',
  ],
  'the old annotation, whatever it says, beside options': [
    [withAnnotations({ 'ray.io/ft-enabled': 'no' }), spec({ gcsFaultToleranceOptions: {} })],
    'metadata.annotations[ray.io/ft-enabled]',
    'ray.io/ft-enabled annotation and GcsFaultToleranceOptions are both set. Please use only GcsFaultToleranceOptions to configure GCS fault tolerance',
  ],
  'Redis options with rocksdb: address': [
    [rocksdb({ redisAddress: 'r' })],
    'spec.gcsFaultToleranceOptions.redisAddress',
    "cannot set GcsFaultToleranceOptions.RedisAddress when backend is 'rocksdb'",
  ],
  'Redis options with rocksdb: user name, even an empty one': [
    [rocksdb({ redisUsername: {} })],
    'spec.gcsFaultToleranceOptions.redisUsername',
    "cannot set GcsFaultToleranceOptions.RedisUsername when backend is 'rocksdb'",
  ],
  'Redis options with rocksdb: password': [
    [rocksdb({ redisPassword: { value: 'x' } })],
    'spec.gcsFaultToleranceOptions.redisPassword',
    "cannot set GcsFaultToleranceOptions.RedisPassword when backend is 'rocksdb'",
  ],
  'Redis options with rocksdb: namespace': [
    [rocksdb({ externalStorageNamespace: 'x' })],
    'spec.gcsFaultToleranceOptions.externalStorageNamespace',
    "cannot set GcsFaultToleranceOptions.ExternalStorageNamespace when backend is 'rocksdb'",
  ],
  'a claim of the user beside what a new one would need': [
    [rocksdb({ storage: { claimName: 'mine', accessModes: ['ReadWriteOnce'] } })],
    'spec.gcsFaultToleranceOptions.storage.claimName',
    'GcsFaultToleranceOptions.Storage.ClaimName is mutually exclusive with size, storageClassName, and accessModes',
  ],
  'a managed variable with rocksdb': [
    [rocksdb(), headWith(env('RAY_gcs_storage_path'))],
    'spec.headGroupSpec.template.spec.containers[0].env',
    'cannot set `RAY_gcs_storage` or `RAY_gcs_storage_path` env var in head Pod when the embedded GCS FT backend is used - these are managed by KubeRay',
  ],
  'a mount at the managed path with rocksdb': [
    [rocksdb(), headWith({ volumeMounts: [{ name: 'x', mountPath: '/data/gcs' }] })],
    'spec.headGroupSpec.template.spec.containers[0].volumeMounts',
    'cannot set a volume mount named "gcs-storage" or mounted at /data/gcs in the head container when the embedded GCS FT backend is used - it is managed by KubeRay',
  ],
  'a volume of the managed name with rocksdb': [
    [rocksdb(), headWith({}, { volumes: [{ name: 'gcs-storage' }] })],
    'spec.headGroupSpec.template.spec.volumes',
    'cannot set a volume named "gcs-storage" in the head Pod when the embedded GCS FT backend is used - it is managed by KubeRay',
  ],
  'the variable for autoscaler v2 without autoscaling': [
    [headWith(env('RAY_enable_autoscaler_v2', '1'))],
    'spec.headGroupSpec.template.spec.containers[0].env',
    "environment variable RAY_enable_autoscaler_v2 cannot be set to '1' when enableInTreeAutoscaling is false. Please set enableInTreeAutoscaling: true to use autoscaler v2",
  ],
  'a suspended group with autoscaling': [
    [autoscaling, group({ suspend: true })],
    'spec.workerGroupSpecs[0].suspend',
    'worker group small cannot be suspended with Autoscaler enabled',
  ],
  'the version both as a field and as a variable': [
    [autoscalerV2, headWith(env('RAY_enable_autoscaler_v2', 'false'))],
    'spec.autoscalerOptions.version',
    'both .spec.autoscalerOptions.version and head Pod env var RAY_enable_autoscaler_v2 are set, please only use the former',
  ],
  'a head that restarts under autoscaler v2': [
    [autoscalerV2, headWith({}, { restartPolicy: 'Always' })],
    'spec.headGroupSpec.template.spec.restartPolicy',
    'restartPolicy for head Pod should be Never or unset when using autoscaler V2',
  ],
  'workers that restart under autoscaler v2': [
    [autoscalerV2, group({ template: template({}, { restartPolicy: 'OnFailure' }) })],
    'spec.workerGroupSpecs[0].template.spec.restartPolicy',
    'restartPolicy for worker group small should be Never or unset when using autoscaler V2',
  ],
  'a negative idle timeout, autoscaling or not': [
    [spec({ autoscalerOptions: { idleTimeoutSeconds: -1 } })],
    'spec.autoscalerOptions.idleTimeoutSeconds',
    'autoscalerOptions.idleTimeoutSeconds must be non-negative, got -1',
  ],
  'the managed command of the autoscaler': [
    [spec({ autoscalerOptions: env('KUBERAY_GEN_AUTOSCALER_START_CMD') })],
    'spec.autoscalerOptions.env',
    'autoscalerOptions.env must not contain KUBERAY_GEN_AUTOSCALER_START_CMD: it is managed by KubeRay and injected automatically into the autoscaler container',
  ],
  'a storage backend that is not literal': [
    [collector({ name: 'STORAGE_BACKEND', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } })],
    'spec.historyServerOptions.collectorOptions.env',
    'STORAGE_BACKEND environment variable must be set with a literal string value in historyServerOptions.collectorOptions.env',
  ],
  'Azure by connection string without one': [
    [collector(backend('azureblob'), { name: 'AZURE_STORAGE_AUTH_MODE', value: ' Connection_String ' })],
    'spec.historyServerOptions.collectorOptions.env',
    'AZURE_STORAGE_CONNECTION_STRING environment variable must be set when STORAGE_BACKEND is AZUREBLOB and AZURE_STORAGE_AUTH_MODE is connection_string',
  ],
  'OSS without a region': [
    [collector(backend('AliyunOSS'), { name: 'OSS_BUCKET', value: 'b' }, { name: 'OSS_ENDPOINT', value: 'e' })],
    'spec.historyServerOptions.collectorOptions.env',
    'OSS_REGION environment variable must be set when STORAGE_BACKEND is ALIYUNOSS',
  ],
  'a head container of the collector’s name': [
    [collector(backend('X')), withHead({ template: podTemplate('ray-history-collector') })],
    'spec.headGroupSpec.template.spec.containers',
    "head pod template must not define a container with name 'ray-history-collector' when history server collector options are enabled",
  ],
  'a worker container of the collector’s name': [
    [collector(backend('X')), group({ template: podTemplate('ray-history-collector') })],
    'spec.workerGroupSpecs[0].template.spec.containers',
    "worker group small pod template must not define a container with name 'ray-history-collector' when history server collector options are enabled",
  ],
  'Kubernetes tokens with mode disabled': [
    [spec({ authOptions: { mode: 'disabled', enableK8sTokenAuth: true } })],
    'spec.authOptions.mode',
    "authOptions.enableK8sTokenAuth is enabled but authOptions.mode not set to 'token'",
  ],
  'Kubernetes tokens on a version that has plain tokens only': [
    [spec({ rayVersion: '2.52.0', authOptions: { mode: 'token', enableK8sTokenAuth: true } })],
    'spec.rayVersion',
    'authOptions.enableK8sTokenAuth is enabled but minimum Ray version is 2.55.0, got 2.52.0',
  ],
  'a group’s ingress rules where ingress is open': [
    [
      group({}),
      spec({ networkPolicy: { mode: 'DenyAllEgress', workerGroups: [{ groupName: 'small', ingressRules: [{}] }] } }),
    ],
    'spec.networkPolicy.workerGroups[0].ingressRules',
    'networkPolicy.workerGroups["small"].ingressRules cannot be set when mode is "DenyAllEgress" (ingress is not restricted)',
  ],
  'a group name with dots under a network policy': [
    [withWorkerGroup('a.b'), spec({ networkPolicy: {} })],
    'spec.workerGroupSpecs[0].groupName',
    'worker group name "a.b" must be a valid DNS1123 label when networkPolicy is enabled (it is embedded in the NetworkPolicy name): [must not contain dots]',
  ],
  'a TLS mount path on the head': [
    [tls, headWith({ volumeMounts: [{ name: 'x', mountPath: '/etc/ray/tls' }] })],
    'spec.headGroupSpec.template.spec.containers[0].volumeMounts[0]',
    `cannot use volume mount at path "/etc/ray/tls" in head Pod ${TLS_REASON}`,
  ],
  'a TLS variable on workers': [
    [tls, group({ template: template(env('RAY_TLS_CA_CERT')) })],
    'spec.workerGroupSpecs[0].template.spec.containers[0].env',
    `cannot set RAY_TLS_CA_CERT environment variable in worker group "small" ${TLS_REASON}`,
  ],
  'a TLS variable on the autoscaler': [
    [tls, spec({ autoscalerOptions: env('RAY_USE_TLS') })],
    'spec.autoscalerOptions.env',
    'cannot set RAY_USE_TLS environment variable in autoscalerOptions.env when tlsOptions is set - the operator manages TLS configuration for the autoscaler automatically',
  ],
  'a TLS mount on the autoscaler': [
    [tls, spec({ autoscalerOptions: { volumeMounts: [{ name: 'ray-tls', mountPath: '/x' }] } })],
    'spec.autoscalerOptions.volumeMounts[0]',
    `cannot use volume mount named "ray-tls" in autoscalerOptions.volumeMounts ${TLS_REASON}`,
  ],
  'two groups of one name': [
    [group({}), withWorkerGroup('other'), group({})],
    'spec.workerGroupSpecs[2]',
    'worker group names must be unique',
  ],
};

const ACCEPTED: Readonly<Record<string, readonly Change[]>> = {
  'a head alone': [],
  'replicas below the lower bound, which are raised to it': [group({ replicas: 0, minReplicas: 2 })],
  'no bounds with autoscaling': [autoscaling, (cluster) => withoutMax(group({})(cluster))],
  'a priority of 0 on any version': [group({ priority: 0 })],
  'a priority on Ray 2.56 with autoscaler v2': [autoscalerV2, spec({ rayVersion: '2.56.0' }), group({ priority: 3 })],
  'an idle timeout with autoscaler v2 by variable': [
    autoscaling,
    headWith(env('RAY_enable_autoscaler_v2', '1')),
    group({ idleTimeoutSeconds: 0 }),
  ],
  'fault tolerance by annotation in any case with a Redis address in the environment': [
    withAnnotations({ 'ray.io/ft-enabled': 'TRUE' }),
    headWith(env('RAY_REDIS_ADDRESS')),
  ],
  'Redis without an address': [spec({ gcsFaultToleranceOptions: {} })],
  'a claim of the user with a path in it': [rocksdb({ storage: { claimName: 'mine', subPath: 'a' } })],
  'an unknown storage backend': [collector(backend('FLOPPY'))],
  'a bucket from a Secret': [
    collector(backend('gcs'), { name: 'GCS_BUCKET', valueFrom: { secretKeyRef: { key: 'b', name: 's' } } }),
  ],
  'Kubernetes tokens on Ray 3': [
    spec({ rayVersion: '3.0.0', authOptions: { mode: 'token', enableK8sTokenAuth: true } }),
  ],
  'TLS switched off, whatever is mounted': [
    spec({ tlsOptions: { enabled: false } }),
    headWith({ volumeMounts: [{ name: 'ray-tls', mountPath: '/etc/ray/tls' }] }),
  ],
  'TLS files in a container that is not Ray’s': [
    tls,
    withHead({
      template: {
        spec: { containers: [{ name: 'ray' }, { name: 'side', volumeMounts: [{ name: 'ray-tls', mountPath: '/t' }] }] },
      },
    }),
  ],
  'a suspended group without autoscaling': [group({ suspend: true })],
};

function withoutMax(cluster: RayCluster): RayCluster {
  const [first] = cluster.spec?.workerGroupSpecs ?? [];
  const { maxReplicas: _, ...rest } = first ?? { groupName: '', template: {} };
  return spec({ workerGroupSpecs: [rest] })(cluster);
}

describe('validateRayClusterSpec()', () => {
  it.each(Object.entries(REFUSALS))('refuses %s', (_title, [changes, field, message]) => {
    expect(validate(changes)).toEqual({ field, message });
  });

  it.each(Object.entries(ACCEPTED))('accepts %s', (_title, changes) => {
    expect(validate(changes)).toBeUndefined();
  });

  it('lists every bad label of a group, sorted by key', () => {
    const labels = { 'b/c/d': 'ok', '-a': '!' };
    const message = validate([withHead({ labels })])?.message ?? '';
    expect(message.split('; ').map((part) => part.slice(0, part.indexOf(', error:')))).toEqual([
      "invalid label key for Head group: '-a'",
      "invalid label value for key '-a' in Head group: '!'",
      "invalid label key for Head group: 'b/c/d'",
    ]);
  });

  it('names the gate that a field needs', () => {
    const gates = { ...defaultFeatureGates(), RayJobDeletionPolicy: false };
    expect([
      validate([group({ suspend: true })], gates)?.message,
      validate([rocksdb()], gates)?.message,
      validate([spec({ historyServerOptions: {} })], gates)?.message,
      validate([spec({ networkPolicy: {} })], gates)?.message,
      validate([spec({ tlsOptions: { enabled: false } })], gates)?.message,
    ]).toEqual([
      'worker group small can be suspended only when the RayJobDeletionPolicy feature gate is enabled',
      "the embedded RocksDB GCS fault tolerance backend (GcsFaultToleranceOptions.Backend: 'rocksdb') requires the GCSFaultToleranceEmbeddedStorage feature gate to be enabled",
      'RayClusterHistoryServer feature gate is not enabled',
      'spec.networkPolicy requires the RayClusterNetworkPolicy feature gate to be enabled',
      'spec.tlsOptions requires the RayClusterMTLS feature gate to be enabled',
    ]);
  });
});

function upgrade(type: string, ...changes: Change[]): string | undefined {
  const strategy = spec({ upgradeStrategy: { type: type as 'None' } });
  return validateRayClusterUpgradeStrategy(rayCluster('demo', strategy, ...changes))?.message;
}

function status(...types: string[]) {
  return { status: { conditions: types.map((type) => ({ type, status: 'True' as const })) } };
}

describe('the rest of a RayCluster', () => {
  it('accepts a name of 53 letters and refuses one of 54', () => {
    expect(validateRayClusterMetadata({ name: 'a'.repeat(53) })).toBeUndefined();
    expect(validateRayClusterMetadata({ name: 'a'.repeat(54) })).toEqual({
      field: 'metadata.name',
      message: 'RayCluster name should be no more than 53 characters',
    });
  });

  it('warns about restarting workers only where autoscaler v1 was asked for by name', () => {
    const restarting = { template: template({}, { restartPolicy: 'Always' }) };
    const warn = (version: 'v1' | 'v2' | undefined) => {
      const autoscalerOptions = version ? { version } : {};
      const changes = [group(restarting), withWorkerGroup('b', restarting), withWorkerGroup('fine')];
      const { spec: warned } = rayCluster('demo', ...changes, autoscaling, spec({ autoscalerOptions }));
      return warnAboutRayClusterSpec(warned, ALL_GATES)?.message;
    };
    expect(warn('v1')).toBe(
      'restartPolicy for worker groups [small, b] should be Never or unset when using autoscaler V1',
    );
    expect(warn('v2')).toBeUndefined();
    expect(warn(undefined)).toBeUndefined();
  });

  it('asks for cert-manager only where TLS is on', () => {
    const absent = { certManager: false };
    const secured = { tlsOptions: { enabled: true } };
    expect(validateRayClusterPrerequisites(secured, ALL_GATES, absent)?.message).toBe(
      'tlsOptions requires cert-manager, but cert-manager is not installed: install it, or start the operator with ISSUE_MTLS_CERTIFICATES=true to have it issue certificates itself',
    );
    expect(validateRayClusterPrerequisites(secured, ALL_GATES, { certManager: true })).toBeUndefined();
    expect(validateRayClusterPrerequisites(secured, ALL_GATES, { ...absent, ownIssuer: true })).toBeUndefined();
    expect(validateRayClusterPrerequisites({ tlsOptions: { enabled: false } }, ALL_GATES, absent)).toBeUndefined();
  });

  it('refuses an unknown upgrade type, and any type on a cluster that a job or service made', () => {
    expect(upgrade('Rolling')).toBe(
      'The RayCluster spec is invalid: Spec.UpgradeStrategy.Type value Rolling is invalid, valid options are Recreate or None',
    );
    expect(upgrade('None', withLabels({ 'ray.io/originated-from-crd': 'RayService' }))).toBe(
      'upgradeStrategy cannot be set when RayCluster is created by RayService',
    );
    expect(upgrade('Recreate', withLabels({ 'ray.io/originated-from-crd': 'Else' }))).toBeUndefined();
  });

  it('refuses a status that is both suspending and suspended', () => {
    expect(validateRayClusterStatus(status('RayClusterSuspending', 'RayClusterSuspended'))?.message).toBe(
      'invalid RayCluster State: rayv1.RayClusterSuspending and rayv1.RayClusterSuspended conditions should not be both true',
    );
    expect(validateRayClusterStatus(status('RayClusterSuspended'))).toBeUndefined();
  });
});
