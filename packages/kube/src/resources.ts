import type {
  ConfigMap,
  EndpointSlice,
  Ingress,
  Job,
  KubeObject,
  Lease,
  Namespace,
  NetworkPolicy,
  Node,
  PersistentVolumeClaim,
  Pod,
  RayCluster,
  RayCronJob,
  RayJob,
  RayService,
  Role,
  RoleBinding,
  Secret,
  Service,
  ServiceAccount,
} from '@manta/api';
import type { ResourceType } from './resource-type.ts';

/** The resources that the programs here use: where each is served. */

export const pods = namespaced<Pod>('', 'v1', 'pods', 'Pod');
export const services = namespaced<Service>('', 'v1', 'services', 'Service');
export const secrets = namespaced<Secret>('', 'v1', 'secrets', 'Secret');
export const configMaps = namespaced<ConfigMap>('', 'v1', 'configmaps', 'ConfigMap');
export const serviceAccounts = namespaced<ServiceAccount>('', 'v1', 'serviceaccounts', 'ServiceAccount');
export const persistentVolumeClaims = namespaced<PersistentVolumeClaim>(
  '',
  'v1',
  'persistentvolumeclaims',
  'PersistentVolumeClaim',
);
export const namespaces = clusterScoped<Namespace>('', 'v1', 'namespaces', 'Namespace');
export const nodes = clusterScoped<Node>('', 'v1', 'nodes', 'Node');
export const jobs = namespaced<Job>('batch', 'v1', 'jobs', 'Job');
export const leases = namespaced<Lease>('coordination.k8s.io', 'v1', 'leases', 'Lease');
export const endpointSlices = namespaced<EndpointSlice>('discovery.k8s.io', 'v1', 'endpointslices', 'EndpointSlice');
export const events = namespaced('events.k8s.io', 'v1', 'events', 'Event');
export const ingresses = namespaced<Ingress>('networking.k8s.io', 'v1', 'ingresses', 'Ingress');
export const ingressClasses = clusterScoped('networking.k8s.io', 'v1', 'ingressclasses', 'IngressClass');
export const podDisruptionBudgets = namespaced('policy', 'v1', 'poddisruptionbudgets', 'PodDisruptionBudget');
export const networkPolicies = namespaced<NetworkPolicy>('networking.k8s.io', 'v1', 'networkpolicies', 'NetworkPolicy');
export const roles = namespaced<Role>('rbac.authorization.k8s.io', 'v1', 'roles', 'Role');
export const roleBindings = namespaced<RoleBinding>('rbac.authorization.k8s.io', 'v1', 'rolebindings', 'RoleBinding');
export const customResourceDefinitions = clusterScoped(
  'apiextensions.k8s.io',
  'v1',
  'customresourcedefinitions',
  'CustomResourceDefinition',
);

export const rayClusters = namespaced<RayCluster>('ray.io', 'v1', 'rayclusters', 'RayCluster');
export const rayJobs = namespaced<RayJob>('ray.io', 'v1', 'rayjobs', 'RayJob');
export const rayServices = namespaced<RayService>('ray.io', 'v1', 'rayservices', 'RayService');
export const rayCronJobs = namespaced<RayCronJob>('ray.io', 'v1', 'raycronjobs', 'RayCronJob');

export const gateways = namespaced('gateway.networking.k8s.io', 'v1', 'gateways', 'Gateway');
export const httpRoutes = namespaced('gateway.networking.k8s.io', 'v1', 'httproutes', 'HTTPRoute');
export const certificates = namespaced('cert-manager.io', 'v1', 'certificates', 'Certificate');
export const issuers = namespaced('cert-manager.io', 'v1', 'issuers', 'Issuer');
export const routes = namespaced('route.openshift.io', 'v1', 'routes', 'Route');
export const volcanoPodGroups = namespaced('scheduling.volcano.sh', 'v1beta1', 'podgroups', 'PodGroup');
export const schedulerPluginsPodGroups = namespaced('scheduling.x-k8s.io', 'v1alpha1', 'podgroups', 'PodGroup');
export const workloads = namespaced('scheduling.k8s.io', 'v1alpha2', 'workloads', 'Workload');
export const workloadPodGroups = namespaced('scheduling.k8s.io', 'v1alpha2', 'podgroups', 'PodGroup');

function namespaced<T extends KubeObject = KubeObject>(
  group: string,
  version: string,
  plural: string,
  kind: string,
): ResourceType<T> {
  return { group, version, plural, kind, isNamespaced: true };
}

function clusterScoped<T extends KubeObject = KubeObject>(
  group: string,
  version: string,
  plural: string,
  kind: string,
): ResourceType<T> {
  return { group, version, plural, kind, isNamespaced: false };
}
