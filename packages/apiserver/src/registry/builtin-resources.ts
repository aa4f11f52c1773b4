import type { ResourceInfo } from '../object/resource-info.ts';
import type { ResourceRules } from './served-resource.ts';

/** One row of the table of built-in kinds. */
export interface BuiltinResource {
  readonly info: ResourceInfo;
  readonly rules: ResourceRules;
  /** True for kinds that are answered at once and never stored: reviews. */
  readonly isVirtual: boolean;
}

interface Row extends Partial<ResourceRules> {
  readonly group?: string;
  readonly plural: string;
  readonly singular?: string;
  readonly kind: string;
  readonly isClusterScoped?: boolean;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly verbs?: readonly string[];
  readonly subresources?: readonly string[];
  readonly isVirtual?: boolean;
}

/** Every verb, in the order in which discovery lists them. */
export const ALL_VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'] as const;
const POD_STREAMS = ['attach', 'exec', 'log', 'portforward', 'proxy'];
const RBAC = 'rbac.authorization.k8s.io';
const review = { isVirtual: true, verbs: ['create'] } as const;

/** The built-in kinds, one a row: what the real server's discovery and registry say of each. */
const ROWS: readonly Row[] = [
  { plural: 'bindings', kind: 'Binding', ...review },
  { plural: 'configmaps', kind: 'ConfigMap', shortNames: ['cm'] },
  { plural: 'endpoints', singular: 'endpoints', kind: 'Endpoints', shortNames: ['ep'], allowsCreateOnUpdate: true },
  { plural: 'events', kind: 'Event', shortNames: ['ev'], allowsCreateOnUpdate: true, isGarbageCollected: false },
  {
    plural: 'namespaces',
    kind: 'Namespace',
    isClusterScoped: true,
    shortNames: ['ns'],
    verbs: ALL_VERBS.filter((verb) => verb !== 'deletecollection'),
    subresources: ['finalize', 'status'],
    returnsDeletedObject: true,
  },
  { plural: 'nodes', kind: 'Node', isClusterScoped: true, shortNames: ['no'], subresources: ['proxy', 'status'] },
  {
    plural: 'persistentvolumeclaims',
    kind: 'PersistentVolumeClaim',
    shortNames: ['pvc'],
    subresources: ['status'],
    returnsDeletedObject: true,
  },
  {
    plural: 'persistentvolumes',
    kind: 'PersistentVolume',
    isClusterScoped: true,
    shortNames: ['pv'],
    subresources: ['status'],
    returnsDeletedObject: true,
  },
  {
    plural: 'pods',
    kind: 'Pod',
    shortNames: ['po'],
    categories: ['all'],
    subresources: ['binding', 'ephemeralcontainers', 'eviction', 'resize', 'status', ...POD_STREAMS],
    hasGeneration: true,
    isGraceful: true,
    returnsDeletedObject: true,
  },
  { plural: 'podtemplates', kind: 'PodTemplate', hasGeneration: true, returnsDeletedObject: true },
  {
    plural: 'resourcequotas',
    kind: 'ResourceQuota',
    shortNames: ['quota'],
    subresources: ['status'],
    returnsDeletedObject: true,
  },
  { plural: 'secrets', kind: 'Secret' },
  {
    plural: 'serviceaccounts',
    kind: 'ServiceAccount',
    shortNames: ['sa'],
    subresources: ['token'],
    returnsDeletedObject: true,
  },
  {
    plural: 'services',
    kind: 'Service',
    shortNames: ['svc'],
    categories: ['all'],
    subresources: ['proxy', 'status'],
    allowsCreateOnUpdate: true,
    returnsDeletedObject: true,
  },
  {
    group: 'batch',
    plural: 'jobs',
    kind: 'Job',
    categories: ['all'],
    subresources: ['status'],
    hasGeneration: true,
    orphansByDefault: true,
  },
  {
    group: 'events.k8s.io',
    plural: 'events',
    kind: 'Event',
    shortNames: ['ev'],
    allowsCreateOnUpdate: true,
    isGarbageCollected: false,
  },
  { group: 'discovery.k8s.io', plural: 'endpointslices', kind: 'EndpointSlice', hasGeneration: true },
  {
    group: 'coordination.k8s.io',
    plural: 'leases',
    kind: 'Lease',
    allowsCreateOnUpdate: true,
    allowsUnconditionalUpdate: false,
  },
  {
    group: 'networking.k8s.io',
    plural: 'ingressclasses',
    singular: 'ingressclass',
    kind: 'IngressClass',
    isClusterScoped: true,
    hasGeneration: true,
  },
  {
    group: 'networking.k8s.io',
    plural: 'ingresses',
    singular: 'ingress',
    kind: 'Ingress',
    shortNames: ['ing'],
    subresources: ['status'],
    hasGeneration: true,
  },
  {
    group: 'networking.k8s.io',
    plural: 'networkpolicies',
    singular: 'networkpolicy',
    kind: 'NetworkPolicy',
    shortNames: ['netpol'],
    hasGeneration: true,
  },
  {
    group: 'policy',
    plural: 'poddisruptionbudgets',
    kind: 'PodDisruptionBudget',
    shortNames: ['pdb'],
    subresources: ['status'],
    hasGeneration: true,
    allowsUnconditionalUpdate: false,
  },
  {
    group: RBAC,
    plural: 'clusterrolebindings',
    kind: 'ClusterRoleBinding',
    isClusterScoped: true,
    allowsCreateOnUpdate: true,
  },
  { group: RBAC, plural: 'clusterroles', kind: 'ClusterRole', isClusterScoped: true, allowsCreateOnUpdate: true },
  { group: RBAC, plural: 'rolebindings', kind: 'RoleBinding', allowsCreateOnUpdate: true },
  { group: RBAC, plural: 'roles', kind: 'Role', allowsCreateOnUpdate: true },
  {
    group: 'scheduling.k8s.io',
    plural: 'priorityclasses',
    singular: 'priorityclass',
    kind: 'PriorityClass',
    isClusterScoped: true,
    shortNames: ['pc'],
    hasGeneration: true,
  },
  {
    group: 'storage.k8s.io',
    plural: 'storageclasses',
    singular: 'storageclass',
    kind: 'StorageClass',
    isClusterScoped: true,
    shortNames: ['sc'],
    returnsDeletedObject: true,
  },
  ...['mutatingwebhookconfigurations', 'validatingwebhookconfigurations'].map((plural) => ({
    group: 'admissionregistration.k8s.io',
    plural,
    kind: plural.startsWith('m') ? 'MutatingWebhookConfiguration' : 'ValidatingWebhookConfiguration',
    isClusterScoped: true,
    categories: ['api-extensions'],
    hasGeneration: true,
    allowsUnconditionalUpdate: false,
  })),
  {
    group: 'apiextensions.k8s.io',
    plural: 'customresourcedefinitions',
    kind: 'CustomResourceDefinition',
    isClusterScoped: true,
    shortNames: ['crd', 'crds'],
    categories: ['api-extensions'],
    subresources: ['status'],
    hasGeneration: true,
    allowsUnconditionalUpdate: false,
  },
  { group: 'authorization.k8s.io', plural: 'localsubjectaccessreviews', kind: 'LocalSubjectAccessReview', ...review },
  ...['SelfSubjectAccessReview', 'SelfSubjectRulesReview', 'SubjectAccessReview'].map((kind) => ({
    group: 'authorization.k8s.io',
    plural: `${kind.toLowerCase()}s`,
    kind,
    isClusterScoped: true,
    ...review,
  })),
  ...['SelfSubjectReview', 'TokenReview'].map((kind) => ({
    group: 'authentication.k8s.io',
    plural: `${kind.toLowerCase()}s`,
    kind,
    isClusterScoped: true,
    ...review,
  })),
];

/** The table, with what most rows have in common filled in. */
export const BUILTIN_RESOURCES: readonly BuiltinResource[] = ROWS.map((row) => ({
  info: {
    group: row.group ?? '',
    plural: row.plural,
    singular: row.singular ?? row.plural.replace(/s$/, ''),
    kind: row.kind,
    listKind: `${row.kind}List`,
    isNamespaced: row.isClusterScoped !== true,
    shortNames: row.shortNames ?? [],
    categories: row.categories ?? [],
    versions: ['v1'],
    storageVersion: 'v1',
    verbs: row.verbs ?? ALL_VERBS,
    subresources: row.subresources ?? [],
  },
  rules: {
    allowsCreateOnUpdate: row.allowsCreateOnUpdate ?? false,
    allowsUnconditionalUpdate: row.allowsUnconditionalUpdate ?? true,
    returnsDeletedObject: row.returnsDeletedObject ?? false,
    hasGeneration: row.hasGeneration ?? false,
    isGraceful: row.isGraceful ?? false,
    isGarbageCollected: row.isGarbageCollected ?? true,
    orphansByDefault: row.orphansByDefault ?? false,
    statusFields: ['status'],
  },
  isVirtual: row.isVirtual ?? false,
}));
