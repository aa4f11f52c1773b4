import type { PolicyRule } from '../auth/authorizer.ts';

/** An object that is there from the start. */
export interface BootstrapObject {
  readonly group: string;
  readonly plural: string;
  readonly namespace?: string;
  readonly object: { readonly metadata: { readonly name: string }; readonly [field: string]: unknown };
}

const RBAC = 'rbac.authorization.k8s.io';
const bootstrapping = { 'kubernetes.io/bootstrapping': 'rbac-defaults' };
const autoupdate = { [`${RBAC}/autoupdate`]: 'true' };

function namespace(name: string): BootstrapObject {
  return { group: '', plural: 'namespaces', object: { metadata: { name } } };
}

function clusterRole(name: string, rules: readonly PolicyRule[]): BootstrapObject {
  const metadata = { name, labels: bootstrapping, annotations: autoupdate };
  return { group: RBAC, plural: 'clusterroles', object: { metadata, rules } };
}

function clusterBinding(name: string, groups: readonly string[]): BootstrapObject {
  const metadata = { name, labels: bootstrapping, annotations: autoupdate };
  const roleRef = { apiGroup: RBAC, kind: 'ClusterRole', name };
  const subjects = groups.map((group) => ({ kind: 'Group', apiGroup: RBAC, name: group }));
  return { group: RBAC, plural: 'clusterrolebindings', object: { metadata, roleRef, subjects } };
}

const DISCOVERY = [
  '/api',
  '/api/*',
  '/apis',
  '/apis/*',
  '/healthz',
  '/livez',
  '/openapi',
  '/openapi/*',
  '/readyz',
  '/version',
  '/version/',
];
const PUBLIC = ['/healthz', '/livez', '/readyz', '/version', '/version/'];
const REVIEWS = ['selfsubjectaccessreviews', 'selfsubjectrulesreviews'];

/** The namespaces, default roles and bindings of a fresh cluster, as far as clients rely on them. */
export const BOOTSTRAP_OBJECTS: readonly BootstrapObject[] = [
  ...['default', 'kube-system', 'kube-public', 'kube-node-lease'].map(namespace),
  clusterRole('cluster-admin', [
    { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
    { verbs: ['*'], nonResourceURLs: ['*'] },
  ]),
  clusterRole('system:discovery', [{ verbs: ['get'], nonResourceURLs: DISCOVERY }]),
  clusterRole('system:public-info-viewer', [{ verbs: ['get'], nonResourceURLs: PUBLIC }]),
  clusterRole('system:basic-user', [
    { verbs: ['create'], apiGroups: ['authorization.k8s.io'], resources: REVIEWS },
    { verbs: ['create'], apiGroups: ['authentication.k8s.io'], resources: ['selfsubjectreviews'] },
  ]),
  clusterBinding('cluster-admin', ['system:masters']),
  clusterBinding('system:discovery', ['system:authenticated']),
  clusterBinding('system:public-info-viewer', ['system:authenticated', 'system:unauthenticated']),
  clusterBinding('system:basic-user', ['system:authenticated']),
];
