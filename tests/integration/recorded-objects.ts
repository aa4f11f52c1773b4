import type { KubeObject } from '@manta/api';
import { resources } from '@manta/kube';
import type { Answered } from '../real/recorded-scenarios.ts';
import type { Stage } from './stage.ts';

/** The releases whose objects are taken over; each recording is made to look like one of them. */
export const RELEASES = ['v1.4.2', 'v1.5.1', 'v1.6.0', 'v1.7.0'] as const;
/** What the peer writes anew itself when it finds another's, without touching the pod. Older releases have none. */
const STAMPS = ['ray.io/upgrade-strategy-recreate-hash', 'ray.io/kuberay-version'];
const WITHOUT_STAMPS: readonly string[] = ['v1.4.2', 'v1.5.1'];
/** What the peer writes anew itself on a RayService's cluster that another version has made. */
const CLUSTER_STAMP = 'ray.io/hash-without-replicas-and-workers-to-delete';

/** What pods refer to comes before them. */
export const ORDER = [
  'ServiceAccount',
  'Role',
  'RoleBinding',
  'Secret',
  'PersistentVolumeClaim',
  'Service',
  'Ingress',
  'Pod',
];
/** Where objects of a kind are, in the namespace NS. */
export const PATHS: Readonly<Record<string, string>> = {
  ServiceAccount: '/api/v1/namespaces/NS/serviceaccounts',
  Role: '/apis/rbac.authorization.k8s.io/v1/namespaces/NS/roles',
  RoleBinding: '/apis/rbac.authorization.k8s.io/v1/namespaces/NS/rolebindings',
  Secret: '/api/v1/namespaces/NS/secrets',
  PersistentVolumeClaim: '/api/v1/namespaces/NS/persistentvolumeclaims',
  Service: '/api/v1/namespaces/NS/services',
  Ingress: '/apis/networking.k8s.io/v1/namespaces/NS/ingresses',
  Pod: '/api/v1/namespaces/NS/pods',
};
const API_VERSIONS: Readonly<Record<string, string>> = {
  Role: 'rbac.authorization.k8s.io/v1',
  RoleBinding: 'rbac.authorization.k8s.io/v1',
  Ingress: 'networking.k8s.io/v1',
  Job: 'batch/v1',
  RayCluster: 'ray.io/v1',
  RayJob: 'ray.io/v1',
  Gateway: 'gateway.networking.k8s.io/v1',
  HTTPRoute: 'gateway.networking.k8s.io/v1',
};

/** By name and uid. */
export async function podsIn(stage: Stage, namespace: string): Promise<readonly string[]> {
  const { items } = await stage.admin.list(resources.pods, { namespace });
  return items
    .map(({ metadata }) => `${metadata?.name} ${metadata?.uid} ${metadata?.deletionTimestamp ?? ''}`)
    .toSorted();
}

/** Every object that the peer may have made, by kind and name, without what changes by itself and the stamps. */
export async function objectsIn(
  stage: Stage,
  namespace: string,
  paths: Readonly<Record<string, string>> = PATHS,
): Promise<ReadonlyMap<string, string>> {
  const objects = new Map<string, string>();
  for (const [kind, path] of Object.entries(paths)) {
    const { items } = await stage.target.list(path.replace('NS', namespace));
    for (const { status: _, metadata, ...rest } of items) {
      const { resourceVersion: __, managedFields: ___, annotations, ...others } = metadata;
      const kept = Object.entries(annotations ?? {}).filter(
        ([name]) => name !== CLUSTER_STAMP && !STAMPS.includes(name),
      );
      const object = { ...rest, metadata: { ...others, annotations: Object.fromEntries(kept) } };
      objects.set(`${kind}/${metadata.name}`, JSON.stringify(sorted(object)));
    }
  }
  return objects;
}

/** The same value with its keys in order. */
function sorted(value: Answered): Answered {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, each]) => [key, sorted(each)]));
}

/** What came, went or changed. */
export function differences(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): readonly string[] {
  return [...new Set([...before.keys(), ...after.keys()])].filter((key) => before.get(key) !== after.get(key));
}

/** Accounts that users brought themselves. */
export function ownAccounts(children: readonly Answered[]): ReadonlySet<string> {
  const named = new Set<string>(children.flatMap(({ spec }) => spec?.serviceAccountName ?? []));
  for (const { kind, metadata } of children) if (kind === 'ServiceAccount') named.delete(metadata.name);
  named.delete('default');
  return named;
}

/** A recorded object as it was: its placeholders filled, and without what only a server can say. */
export function restored(key: string, object: Answered, release: string): KubeObject {
  const [kind = '', name = ''] = key.split('/');
  const text = JSON.stringify(object)
    .replaceAll(/<hash#(\d+)>/g, 'PEERSHASH$1')
    .replaceAll('<version>', release)
    .replaceAll(/#(\w+)/g, 'x$1');
  const { status: _, 'oracle.identity': __, ...rest } = withoutPlaceholders(JSON.parse(text));
  const { generation: ___, ...metadata } = rest.metadata ?? {};
  if (kind === 'Pod' && WITHOUT_STAMPS.includes(release))
    for (const stamp of STAMPS) delete metadata.annotations?.[stamp];
  return {
    ...rest,
    apiVersion: API_VERSIONS[kind] ?? 'v1',
    kind,
    metadata: { ...metadata, name: name.replaceAll('#', 'x') },
  };
}

/** Addresses, ports and times are given anew; programs that were recorded in another form do not matter here. */
function withoutPlaceholders(value: Answered): Answered {
  if (Array.isArray(value)) return value.filter((each) => !isPlaceholder(each)).map(withoutPlaceholders);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, each]) => !isPlaceholder(each))
      .map(([key, each]) => [
        key,
        key === 'data' ? {} : key === 'args' || key === 'command' ? texts(each) : withoutPlaceholders(each),
      ]),
  );
}

function isPlaceholder(value: unknown): boolean {
  return typeof value === 'string' && /^<(ip|nodePort|time|masked|\d+ bytes)/.test(value);
}

function texts(value: Answered): readonly string[] {
  return Array.isArray(value) ? value.map((each) => (typeof each === 'string' ? each : 'true')) : ['true'];
}
