/**
 * What the operator asks of RBAC, and for which part of the product. The same table makes the ClusterRole (`manta rbac`), the check at
 * start, and the sentence that names a missing permission.
 */

/** A part of the product that can be off while the rest works. */
export type Capability =
  | 'ray.io resources'
  | 'pods'
  | 'services'
  | 'events'
  | 'leader election'
  | 'autoscaler accounts'
  | 'auth token secrets'
  | 'job submitters'
  | 'serve endpoints'
  | 'ingress'
  | 'OpenShift routes'
  | 'GCS storage claims'
  | 'dashboard through the API server'
  | 'incremental upgrades'
  | 'network policies'
  | 'mTLS'
  | 'Volcano'
  | 'scheduler-plugins'
  | 'Kubernetes workload scheduling'
  | 'disruption budgets of heads'
  | 'capacity checks before upgrades'
  | 'webhook certificates';

/** `base` is what every installation needs; the others are added where their option is switched on. */
export type Profile =
  | 'base'
  | 'disruption-budgets'
  | 'upgrade-capacity'
  | 'webhook-certificates'
  | 'volcano'
  | 'scheduler-plugins'
  | 'kubernetes-was';

export const PROFILES: readonly Profile[] = [
  'base',
  'disruption-budgets',
  'upgrade-capacity',
  'webhook-certificates',
  'volcano',
  'scheduler-plugins',
  'kubernetes-was',
];

export interface AccessRule {
  readonly profile: Profile;
  readonly neededFor: Capability;
  readonly groups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

const RAY_KINDS = ['rayclusters', 'raycronjobs', 'rayjobs', 'rayservices'];
const withSubresource = (subresource: string) => RAY_KINDS.map((kind) => `${kind}/${subresource}`);
const READ = ['get', 'list', 'watch'];
const WRITE = ['create', 'delete', 'update'];

export const ACCESS_RULES: readonly AccessRule[] = [
  base('ray.io resources', ['ray.io'], RAY_KINDS, [...READ, ...WRITE, 'patch']),
  base('ray.io resources', ['ray.io'], withSubresource('finalizers'), ['update']),
  base('ray.io resources', ['ray.io'], withSubresource('status'), ['get', 'patch', 'update']),
  base('pods', [''], ['pods'], [...READ, ...WRITE, 'deletecollection', 'patch']),
  base('services', [''], ['services'], [...READ, ...WRITE, 'patch']),
  base('events', ['events.k8s.io'], ['events'], ['create', 'patch']),
  base('leader election', ['coordination.k8s.io'], ['leases'], ['create', 'get', 'list', 'update']),
  base('autoscaler accounts', [''], ['serviceaccounts'], [...READ, 'create', 'delete']),
  base('autoscaler accounts', ['rbac.authorization.k8s.io'], ['roles'], [...READ, ...WRITE]),
  base('autoscaler accounts', ['rbac.authorization.k8s.io'], ['rolebindings'], [...READ, 'create', 'delete']),
  // Held only so that it may be granted to the autoscaler.
  base('autoscaler accounts', [''], ['pods/resize'], ['patch']),
  base('auth token secrets', [''], ['secrets'], [...READ, ...WRITE]),
  base('job submitters', ['batch'], ['jobs'], [...READ, ...WRITE, 'patch']),
  base('serve endpoints', ['discovery.k8s.io'], ['endpointslices'], READ),
  base('ingress', ['networking.k8s.io'], ['ingresses'], [...READ, ...WRITE, 'patch']),
  base('OpenShift routes', ['route.openshift.io'], ['routes'], [...READ, ...WRITE, 'patch']),
  base('GCS storage claims', [''], ['persistentvolumeclaims'], [...READ, ...WRITE, 'patch']),
  base('dashboard through the API server', [''], ['services/proxy'], ['create', 'get', 'update']),
  base('dashboard through the API server', [''], ['pods/proxy'], ['get']),
  base('incremental upgrades', ['gateway.networking.k8s.io'], ['gateways', 'httproutes'], [...READ, ...WRITE]),
  base('network policies', ['networking.k8s.io'], ['networkpolicies'], [...READ, ...WRITE]),
  base('mTLS', ['cert-manager.io'], ['certificates'], [...READ, 'create', 'update']),
  base('mTLS', ['cert-manager.io'], ['certificates/status'], ['get']),
  base('mTLS', ['cert-manager.io'], ['issuers'], [...READ, 'create']),
  rule(
    'disruption-budgets',
    'disruption budgets of heads',
    ['policy'],
    ['poddisruptionbudgets'],
    [...READ, 'create', 'delete'],
  ),
  rule('upgrade-capacity', 'capacity checks before upgrades', [''], ['nodes'], READ),
  rule(
    'webhook-certificates',
    'webhook certificates',
    ['admissionregistration.k8s.io'],
    ['validatingwebhookconfigurations'],
    ['get', 'patch'],
  ),
  rule('volcano', 'Volcano', ['scheduling.volcano.sh'], ['podgroups'], [...READ, ...WRITE]),
  rule('scheduler-plugins', 'scheduler-plugins', ['scheduling.x-k8s.io'], ['podgroups'], [...READ, ...WRITE]),
  rule(
    'kubernetes-was',
    'Kubernetes workload scheduling',
    ['scheduling.k8s.io'],
    ['podgroups', 'workloads'],
    [...READ, ...WRITE, 'patch'],
  ),
];

function base(
  neededFor: Capability,
  groups: readonly string[],
  resources: readonly string[],
  verbs: readonly string[],
): AccessRule {
  return rule('base', neededFor, groups, resources, verbs);
}

function rule(
  profile: Profile,
  neededFor: Capability,
  groups: readonly string[],
  resources: readonly string[],
  verbs: readonly string[],
): AccessRule {
  return { profile, neededFor, groups, resources, verbs: verbs.toSorted() };
}
