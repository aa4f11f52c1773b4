import type { KubeObject, RayCluster } from '@manta/api';
import type { PlaneClient } from '../support/control-plane.ts';

const PATHS: Readonly<Record<string, string>> = {
  Pod: '/api/v1/namespaces/<ns>/pods',
  Service: '/api/v1/namespaces/<ns>/services',
  ServiceAccount: '/api/v1/namespaces/<ns>/serviceaccounts',
  Secret: '/api/v1/namespaces/<ns>/secrets',
  PersistentVolumeClaim: '/api/v1/namespaces/<ns>/persistentvolumeclaims',
  Ingress: '/apis/networking.k8s.io/v1/namespaces/<ns>/ingresses',
  Role: '/apis/rbac.authorization.k8s.io/v1/namespaces/<ns>/roles',
  RoleBinding: '/apis/rbac.authorization.k8s.io/v1/namespaces/<ns>/rolebindings',
  Job: '/apis/batch/v1/namespaces/<ns>/jobs',
};

/** Stores a cluster and reads it back in our version, with its uid and all defaults. */
export async function storeCluster(plane: PlaneClient, cluster: RayCluster): Promise<RayCluster> {
  const { name, namespace } = cluster.metadata ?? {};
  const namespaced = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } };
  await plane.request('POST', '/api/v1/namespaces', namespaced);
  const path = (version: string) => `/apis/${version}/namespaces/${namespace}/rayclusters`;
  const made = await plane.request('POST', path(cluster.apiVersion ?? ''), cluster);
  if (made.status !== 201) throw new Error(`RayCluster ${name}: ${made.text}`);
  const read = await plane.request('GET', `${path('ray.io/v1')}/${name}`);
  return { ...(read.body as RayCluster), kind: 'RayCluster' };
}

/** The object as the server would store it. The server knows no Routes, and would have nothing to add to them. */
export async function withServerDefaults(plane: PlaneClient, object: KubeObject): Promise<KubeObject> {
  const { kind = '', metadata = {} } = object;
  const path = PATHS[kind]?.replace('<ns>', metadata.namespace ?? '');
  if (path === undefined) return { ...object, metadata: { ...metadata, uid: kind, generation: 1 } };
  const answer = await plane.request('POST', `${path}?dryRun=All&fieldValidation=Strict`, object);
  if (answer.status !== 201) throw new Error(`${kind} ${metadata.name}: ${answer.text}`);
  return { ...(answer.body as KubeObject), kind };
}
