import type {
  Condition,
  ConfigMap,
  CustomResourceDefinition,
  EndpointPort,
  EndpointSlice,
  IntOrString,
  Job,
  KubeObject,
  LabelSelector,
  Lease,
  Namespace,
  Node,
  ObjectMeta,
  ObjectReference,
  PersistentVolumeClaim,
  Pod,
  ResourceQuota,
  Service,
  ServiceAccount,
  Time,
} from '@manta/api';
import type { ResourceType } from '@manta/kube';

/** The kinds that Kubernetes' own controllers read and write. */

export const pods = namespaced<Pod>('', 'pods', 'Pod');
export const services = namespaced<Service>('', 'services', 'Service');
export const configMaps = namespaced<ConfigMap>('', 'configmaps', 'ConfigMap');
export const serviceAccounts = namespaced<ServiceAccount>('', 'serviceaccounts', 'ServiceAccount');
export const resourceQuotas = namespaced<ResourceQuota>('', 'resourcequotas', 'ResourceQuota');
export const persistentVolumeClaims = namespaced<PersistentVolumeClaim>(
  '',
  'persistentvolumeclaims',
  'PersistentVolumeClaim',
);
export const endpoints = namespaced<Endpoints>('', 'endpoints', 'Endpoints');
export const events = namespaced<CoreEvent>('', 'events', 'Event');
export const leases = namespaced<Lease>('coordination.k8s.io', 'leases', 'Lease');
export const jobs = namespaced<Job>('batch', 'jobs', 'Job');
export const endpointSlices = namespaced<EndpointSlice>('discovery.k8s.io', 'endpointslices', 'EndpointSlice');
export const podDisruptionBudgets = namespaced<PodDisruptionBudget>(
  'policy',
  'poddisruptionbudgets',
  'PodDisruptionBudget',
);
export const namespaces = clusterScoped<Namespace>('', 'namespaces', 'Namespace');
export const nodes = clusterScoped<Node>('', 'nodes', 'Node');
export const persistentVolumes = clusterScoped<PersistentVolume>('', 'persistentvolumes', 'PersistentVolume');
export const customResourceDefinitions = clusterScoped<CustomResourceDefinition>(
  'apiextensions.k8s.io',
  'customresourcedefinitions',
  'CustomResourceDefinition',
);

/** The fields of a PersistentVolume that the controllers use. */
export interface PersistentVolume extends KubeObject {
  readonly status?: { readonly phase?: string };
}

/** The endpoints of a service in their old form. */
export interface Endpoints extends KubeObject {
  readonly subsets?: readonly EndpointSubset[];
}

export interface EndpointSubset {
  readonly addresses?: readonly EndpointAddress[];
  readonly notReadyAddresses?: readonly EndpointAddress[];
  readonly ports?: readonly EndpointPort[];
}

export interface EndpointAddress {
  readonly ip: string;
  readonly hostname?: string;
  readonly nodeName?: string;
  readonly targetRef?: ObjectReference;
}

/** An event as the core group has it. */
export interface CoreEvent extends KubeObject {
  readonly involvedObject: ObjectReference;
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  readonly firstTimestamp?: Time;
  readonly lastTimestamp?: Time;
  readonly count?: number;
  readonly source?: { readonly component?: string; readonly host?: string };
  readonly reportingComponent?: string;
  readonly reportingInstance?: string;
}

export interface PodDisruptionBudget extends KubeObject {
  readonly metadata?: ObjectMeta;
  readonly spec?: {
    readonly minAvailable?: IntOrString;
    readonly maxUnavailable?: IntOrString;
    readonly selector?: LabelSelector;
  };
  readonly status?: PodDisruptionBudgetStatus;
}

export interface PodDisruptionBudgetStatus {
  readonly observedGeneration?: number;
  /** Pods that an eviction was granted for and that are not gone yet, and when it was. */
  readonly disruptedPods?: Readonly<Record<string, Time>>;
  readonly disruptionsAllowed: number;
  readonly currentHealthy: number;
  readonly desiredHealthy: number;
  readonly expectedPods: number;
  readonly conditions?: readonly Condition[];
}

function namespaced<T extends KubeObject>(group: string, plural: string, kind: string): ResourceType<T> {
  return { group, version: 'v1', plural, kind, isNamespaced: true };
}

function clusterScoped<T extends KubeObject>(group: string, plural: string, kind: string): ResourceType<T> {
  return { group, version: 'v1', plural, kind, isNamespaced: false };
}
