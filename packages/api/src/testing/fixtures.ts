/** Objects for tests that read like a sentence: `rayCluster('demo', withWorkerGroup('small', { replicas: 2 }))`. */
import type { PodTemplateSpec } from '../core.gen.ts';
import type { ObjectMeta } from '../meta.ts';
import type { HeadGroupSpec, RayCluster, RayClusterSpec, StringMap, WorkerGroupSpec } from '../raycluster.ts';
import type { RayCronJob, RayCronJobSpec } from '../raycronjob.ts';
import type { RayJob, RayJobSpec } from '../rayjob.ts';
import type { RayService, RayServiceSpec } from '../rayservice.ts';

const RAY_VERSION = '2.52.0';
const RAY_IMAGE = `rayproject/ray:${RAY_VERSION}`;

/** A change to a fixture; changes are applied in the order in which they are given. */
export type Change<Kind> = (object: Kind) => Kind;

function build<Kind>(object: Kind, changes: readonly Change<Kind>[]): Kind {
  return changes.reduce((changed, change) => change(changed), object);
}

function metadataOf(name: string): ObjectMeta {
  return { name, namespace: 'default', uid: `uid-${name}`, generation: 1 };
}

/** A pod template with one Ray container. */
export function podTemplate(containerName: string, image = RAY_IMAGE): PodTemplateSpec {
  return {
    spec: { containers: [{ name: containerName, image, resources: { limits: { cpu: '1', memory: '2Gi' } } }] },
  };
}

/** The least spec that passes every rule: a head and no workers. */
export function rayClusterSpec(overrides: Partial<RayClusterSpec> = {}): RayClusterSpec {
  return {
    rayVersion: RAY_VERSION,
    headGroupSpec: { rayStartParams: {}, template: podTemplate('ray-head') },
    ...overrides,
  };
}

/** A worker group of one replica that passes every rule. */
export function workerGroup(groupName: string, overrides: Partial<WorkerGroupSpec> = {}): WorkerGroupSpec {
  return {
    groupName,
    replicas: 1,
    minReplicas: 0,
    maxReplicas: 5,
    numOfHosts: 1,
    rayStartParams: {},
    template: podTemplate('ray-worker'),
    ...overrides,
  };
}

/** A RayCluster with a head and no workers. */
export function rayCluster(name: string, ...changes: readonly Change<RayCluster>[]): RayCluster {
  const cluster = { apiVersion: 'ray.io/v1', kind: 'RayCluster', metadata: metadataOf(name), spec: rayClusterSpec() };
  return build<RayCluster>(cluster, changes);
}

/** A RayJob that runs on a cluster of its own. */
export function rayJob(name: string, ...changes: readonly Change<RayJob>[]): RayJob {
  const spec: RayJobSpec = {
    entrypoint: 'python -c "print(1)"',
    submissionMode: 'K8sJobMode',
    rayClusterSpec: rayClusterSpec({ workerGroupSpecs: [workerGroup('workers')] }),
  };
  return build<RayJob>({ apiVersion: 'ray.io/v1', kind: 'RayJob', metadata: metadataOf(name), spec }, changes);
}

/** A RayService with one application. */
export function rayService(name: string, ...changes: readonly Change<RayService>[]): RayService {
  const spec: RayServiceSpec = {
    serveConfigV2: 'applications:\n- name: app\n  import_path: app:graph\n  route_prefix: /\n',
    rayClusterConfig: rayClusterSpec({ workerGroupSpecs: [workerGroup('workers')] }),
  };
  return build<RayService>({ apiVersion: 'ray.io/v1', kind: 'RayService', metadata: metadataOf(name), spec }, changes);
}

/** A RayCronJob that is due every hour. */
export function rayCronJob(name: string, ...changes: readonly Change<RayCronJob>[]): RayCronJob {
  const spec: RayCronJobSpec = {
    schedule: '0 * * * *',
    timeZone: 'UTC',
    jobTemplate: { entrypoint: 'python -c "print(1)"', rayClusterSpec: rayClusterSpec() },
  };
  return build<RayCronJob>({ apiVersion: 'ray.io/v1', kind: 'RayCronJob', metadata: metadataOf(name), spec }, changes);
}

/** Adds a worker group. */
export function withWorkerGroup(groupName: string, overrides: Partial<WorkerGroupSpec> = {}): Change<RayCluster> {
  return withClusterSpec((spec) => ({
    ...spec,
    workerGroupSpecs: [...(spec.workerGroupSpecs ?? []), workerGroup(groupName, overrides)],
  }));
}

/** Changes the head group. */
export function withHead(overrides: Partial<HeadGroupSpec>): Change<RayCluster> {
  return withClusterSpec((spec) => ({ ...spec, headGroupSpec: { ...spec.headGroupSpec, ...overrides } }));
}

function withClusterSpec(change: Change<RayClusterSpec>): Change<RayCluster> {
  return (cluster) => ({ ...cluster, spec: change(cluster.spec ?? rayClusterSpec()) });
}

/** Sets fields of the spec of any kind. */
export function withSpec<Kind extends { readonly spec?: object }>(
  fields: Partial<NonNullable<Kind['spec']>>,
): Change<Kind> {
  return (object) => ({ ...object, spec: { ...object.spec, ...fields } });
}

/** Sets fields of the status of any kind. */
export function withStatus<Kind extends { readonly status?: object }>(
  fields: Partial<NonNullable<Kind['status']>>,
): Change<Kind> {
  return (object) => ({ ...object, status: { ...object.status, ...fields } });
}

/** Sets fields of the metadata of any kind. */
export function withMetadata<Kind extends { readonly metadata?: ObjectMeta }>(fields: ObjectMeta): Change<Kind> {
  return (object) => ({ ...object, metadata: { ...object.metadata, ...fields } });
}

/** Adds annotations to any kind. */
export function withAnnotations<Kind extends { readonly metadata?: ObjectMeta }>(annotations: StringMap): Change<Kind> {
  return (object) => withMetadata<Kind>({ annotations: { ...object.metadata?.annotations, ...annotations } })(object);
}

/** Adds labels to any kind. */
export function withLabels<Kind extends { readonly metadata?: ObjectMeta }>(labels: StringMap): Change<Kind> {
  return (object) => withMetadata<Kind>({ labels: { ...object.metadata?.labels, ...labels } })(object);
}
