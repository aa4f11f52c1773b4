/**
 * The operator's RBAC permissions by part of the product. This table is the source of the ClusterRole (`manta rbac`), of the check at start,
 * and of messages about missing permissions.
 */

/** A part of the product that can be disabled separately. */
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

/** `base` is needed by every installation; the others only with their option. */
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
/** What a cache needs. */
const FOLLOW = ['list', 'watch'];
const READ = ['get', ...FOLLOW];
const WRITE = ['create', 'delete', 'update'];

/** Every permission is used: a test reads the sources and reports unused ones. */
export const ACCESS_RULES: readonly AccessRule[] = [
  base('ray.io resources', ['ray.io'], ['rayclusters'], [...READ, ...WRITE, 'patch']),
  base('ray.io resources', ['ray.io'], ['rayjobs'], [...READ, 'create', 'delete', 'patch']),
  // Only for a dry-run create that checks the age of the installed CRD.
  base('ray.io resources', ['ray.io'], ['rayservices'], [...READ, 'create', 'patch', 'update']),
  base('ray.io resources', ['ray.io'], ['raycronjobs'], [...READ, 'create']),
  base('ray.io resources', ['ray.io'], withSubresource('finalizers'), ['update']),
  base('ray.io resources', ['ray.io'], withSubresource('status'), ['patch']),
  base('pods', [''], ['pods'], [...READ, 'create', 'delete', 'patch']),
  base('services', [''], ['services'], [...READ, ...WRITE, 'patch']),
  base('events', ['events.k8s.io'], ['events'], ['create', 'patch']),
  base('leader election', ['coordination.k8s.io'], ['leases'], ['create', 'get', 'update']),
  base('autoscaler accounts', [''], ['serviceaccounts'], [...FOLLOW, 'create']),
  base('autoscaler accounts', ['rbac.authorization.k8s.io'], ['roles'], [...READ, 'create', 'update']),
  base('autoscaler accounts', ['rbac.authorization.k8s.io'], ['rolebindings'], [...FOLLOW, 'create', 'delete']),
  // Needed only to grant it to the autoscaler.
  base('autoscaler accounts', [''], ['pods/resize'], ['patch']),
  // With the admission plugin OwnerReferencesPermissionEnforcement, changing owner references requires the permission to delete.
  base('auth token secrets', [''], ['secrets'], [...READ, ...WRITE]),
  base('job submitters', ['batch'], ['jobs'], [...READ, 'create', 'delete']),
  base('serve endpoints', ['discovery.k8s.io'], ['endpointslices'], FOLLOW),
  base('ingress', ['networking.k8s.io'], ['ingresses'], [...FOLLOW, ...WRITE]),
  base('OpenShift routes', ['route.openshift.io'], ['routes'], [...FOLLOW, ...WRITE]),
  base('GCS storage claims', [''], ['persistentvolumeclaims'], [...FOLLOW, ...WRITE]),
  base('dashboard through the API server', [''], ['services/proxy'], ['create', 'get', 'update']),
  base('dashboard through the API server', [''], ['pods/proxy'], ['get']),
  base('incremental upgrades', ['gateway.networking.k8s.io'], ['gateways', 'httproutes'], [...FOLLOW, ...WRITE]),
  base('network policies', ['networking.k8s.io'], ['networkpolicies'], [...READ, ...WRITE]),
  base('mTLS', ['cert-manager.io'], ['certificates'], [...FOLLOW, 'create', 'update']),
  base('mTLS', ['cert-manager.io'], ['issuers'], [...FOLLOW, 'create']),
  rule(
    'disruption-budgets',
    'disruption budgets of heads',
    ['policy'],
    ['poddisruptionbudgets'],
    [...FOLLOW, 'create', 'delete'],
  ),
  rule('upgrade-capacity', 'capacity checks before upgrades', [''], ['nodes'], FOLLOW),
  rule(
    'webhook-certificates',
    'webhook certificates',
    ['admissionregistration.k8s.io'],
    ['validatingwebhookconfigurations'],
    ['get', 'patch'],
  ),
  rule('volcano', 'Volcano', ['scheduling.volcano.sh'], ['podgroups'], [...READ, ...WRITE]),
  rule('scheduler-plugins', 'scheduler-plugins', ['scheduling.x-k8s.io'], ['podgroups'], [...FOLLOW, ...WRITE]),
  // Both are immutable: they are deleted and recreated.
  was('podgroups', [...READ, 'create', 'delete', 'patch']),
  was('workloads', [...READ, 'create', 'delete']),
];

function base(
  neededFor: Capability,
  groups: readonly string[],
  resources: readonly string[],
  verbs: readonly string[],
): AccessRule {
  return rule('base', neededFor, groups, resources, verbs);
}

function was(resource: string, verbs: readonly string[]): AccessRule {
  return rule('kubernetes-was', 'Kubernetes workload scheduling', ['scheduling.k8s.io'], [resource], verbs);
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
