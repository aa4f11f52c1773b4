import {
  isRecord,
  type Job,
  jobOutcome,
  type KubeObject,
  Label,
  NodeType,
  OriginCrd,
  type Role,
  type RoleBinding,
  type Service,
  type StringMap,
} from '@manta/api';
import type { Route } from '../build/route.ts';
import type {
  JobRecord,
  NamedRecord,
  RoleBindingRecord,
  RoleRecord,
  RouteRecord,
  ServiceRecord,
} from '../raycluster/observed.ts';
import type { Sharing } from './sharing.ts';

/** The cluster of a child object: `namespace/cluster`. */
export type ClusterKey = string;

/** A record with the keys of its clusters, by which it is indexed. */
export type Belonging<R> = R & { readonly belongsTo: readonly ClusterKey[] };

export function namedRecord({ metadata = {} }: KubeObject): NamedRecord {
  const { name = '', uid = '', labels } = metadata;
  return { name, uid, owner: ownerOf(metadata), cluster: labels?.[Label.Cluster] };
}

/** Records of objects with the cluster label. */
export function labelledRecord(object: KubeObject): Belonging<NamedRecord> {
  const { metadata = {} } = object;
  return { ...namedRecord(object), belongsTo: keys(metadata.namespace, [metadata.labels?.[Label.Cluster]]) };
}

export function serviceRecord(service: Service, intern: Sharing): Belonging<ServiceRecord> {
  const { metadata = {}, spec = {} } = service;
  const { labels = {} } = metadata;
  const isWhole = isKeptWhole(service);
  const ports = (spec.ports ?? []).map(({ name = '', port, nodePort, targetPort }) => ({
    name,
    port,
    nodePort,
    targetPort,
  }));
  return {
    ...namedRecord(service),
    labels,
    clusterIP: spec.clusterIP ?? '',
    ports: isWhole ? intern.value(ports) : ports,
    selectsCluster: spec.selector?.[Label.Cluster],
    ...(spec.type === 'ExternalName' ? { isExternalName: true } : {}),
    ...(isWhole
      ? { service: withSharedPorts(withoutManagedFields(service), intern) }
      : { service: undefined, selectorKeys: Object.keys(spec.selector ?? {}) }),
    belongsTo: keys(metadata.namespace, [
      labels[Label.Cluster],
      labels[Label.HeadlessWorkerService],
      labels[Label.OriginatedFromCrd] === OriginCrd.RayCluster ? labels[Label.OriginatedFromCrName] : undefined,
      // A Service of ours belongs to its cluster even after its labels were removed.
      clusterOwning(metadata),
    ]),
  };
}

/** Interned: the ports of most head Services are equal. */
function withSharedPorts(service: Service, intern: Sharing): Service {
  const { spec } = service;
  return spec?.ports === undefined ? service : { ...service, spec: { ...spec, ports: intern.value(spec.ports) } };
}

/** Services that are kept whole because they are compared with the desired ones: those of RayServices, and head Services. */
function isKeptWhole({ metadata, spec }: Service): boolean {
  const { labels = {} } = metadata ?? {};
  const isHeads = [labels, spec?.selector].some((words) => words?.[Label.NodeType] === NodeType.Head);
  return isHeads || labels[Label.OriginatedFromCrd] === OriginCrd.RayService;
}

function clusterOwning({ ownerReferences }: NonNullable<KubeObject['metadata']>): string | undefined {
  return ownerReferences?.find(({ controller, kind }) => controller === true && kind === OriginCrd.RayCluster)?.name;
}

export function roleRecord(role: Role): Belonging<RoleRecord> {
  return { ...labelledRecord(role), role: withoutManagedFields(role) };
}

export function roleBindingRecord(binding: RoleBinding): Belonging<RoleBindingRecord> {
  const accounts = (binding.subjects ?? []).filter(({ kind }) => kind === 'ServiceAccount').map(({ name }) => name);
  return { ...labelledRecord(binding), accounts };
}

export function routeRecord(object: KubeObject): Belonging<RouteRecord> {
  return { ...labelledRecord(object), ...(isRoute(object) ? { route: withoutManagedFields(object) } : {}) };
}

function isRoute(object: KubeObject & { readonly spec?: unknown }): object is Route {
  return isRecord(object.spec) && isRecord(object.spec['to']);
}

/** Among Jobs only Redis cleanup Jobs belong to a cluster. */
export function jobRecord(job: Job): Belonging<JobRecord> {
  const isCleanup = job.metadata?.labels?.[Label.NodeType] === NodeType.RedisCleanup;
  return {
    ...labelledRecord(job),
    outcome: jobOutcome(job),
    ...ending(job),
    ...(job.metadata?.deletionTimestamp === undefined ? {} : { isTerminating: true }),
    ...(isCleanup ? {} : { belongsTo: [] }),
  };
}

/** When a Job ended, and why it failed if it did. A Job that has FailureTarget but not Failed has not ended. */
function ending({ status }: Job): Pick<JobRecord, 'finishedAt' | 'failure'> {
  const ends = (status?.conditions ?? []).filter(
    (condition) => condition.status === 'True' && (condition.type === 'Complete' || condition.type === 'Failed'),
  );
  const time = ends.find(({ lastTransitionTime }) => typeof lastTransitionTime === 'string')?.lastTransitionTime;
  const failed = ends.find(({ type }) => type === 'Failed');
  return {
    ...(typeof time === 'string' ? { finishedAt: Date.parse(time) } : {}),
    ...(failed === undefined ? {} : { failure: { reason: failed.reason ?? '', message: failed.message ?? '' } }),
  };
}

/** The custom resource that an object was created for, from its labels: `RayService/namespace/name`. */
export function originKey(crd: OriginCrd, namespace: string, name: string): string {
  return `${crd}/${namespace}/${name}`;
}

/** The custom resource that these labels name; none without them. */
export function originKeys(namespace: string | undefined, labels: StringMap | undefined): readonly string[] {
  const crd = Object.values(OriginCrd).find((kind) => kind === labels?.[Label.OriginatedFromCrd]);
  const name = labels?.[Label.OriginatedFromCrName];
  return crd === undefined || name === undefined ? [] : [originKey(crd, namespace ?? '', name)];
}

/** The object without managedFields, which are a third of its bytes and unused here. */
export function withoutManagedFields<T extends KubeObject>(object: T): T {
  const { metadata = {} } = object;
  if (!('managedFields' in metadata)) return object;
  const { managedFields: _dropped, ...rest } = metadata;
  return { ...object, metadata: rest };
}

function ownerOf({ ownerReferences }: NonNullable<KubeObject['metadata']>): string | undefined {
  return ownerReferences?.find(({ controller }) => controller === true)?.uid;
}

function keys(namespace: string | undefined, names: readonly (string | undefined)[]): readonly ClusterKey[] {
  return [...new Set(names)].flatMap((name) => (name === undefined ? [] : [`${namespace ?? ''}/${name}`]));
}
