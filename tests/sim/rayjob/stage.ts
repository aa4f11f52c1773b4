import { Annotation, type CustomResourceDefinition, type RayCluster, type RayJob, type RayJobSpec } from '@manta/api';
import { rayClusterSpec } from '@manta/api/testing';
import { crds } from '@manta/api/crds';
import type { ServedResource, StoredObject } from '@manta/apiserver';
import { resources } from '@manta/kube';
import { servedDefinition } from '../../../packages/apiserver/src/registry/served-definition.ts';
import type { Choices } from '../choices.ts';
import { lightResource } from '../light-server.ts';
import type { Backstage } from '../scenario.ts';

/** Where everything happens. */
export const NAMESPACE = 'default';
export const JOBS = ['a', 'b'] as const;

/** What the store calls them. */
export const STORED = {
  jobs: 'ray.io/rayjobs',
  clusters: 'ray.io/rayclusters',
  submitters: 'batch/jobs',
  pods: '/pods',
  services: '/services',
  configMaps: '/configmaps',
} as const;

export const CONFIG_MAPS = {
  group: '',
  version: 'v1',
  plural: 'configmaps',
  kind: 'ConfigMap',
  isNamespaced: true,
} as const;

/** A cluster that nobody's job has made; jobs may run on it, and it stays. */
export const SHARED = 'shared';

/** Both kinds in their current version, with clusters' specs left open: checking those takes most of a run's time. */
const SERVED = ['RayCluster', 'RayJob'].map((kind) => lightResource(servedDefinition(opened(kind)) as ServedResource));

function opened(kind: string): CustomResourceDefinition {
  const definition = crds().find(({ spec }) => spec.names.kind === kind);
  const versions = definition?.spec.versions.filter(({ storage }) => storage);
  const isOpen = (key: string) => ['rayClusterSpec', 'headGroupSpec', 'submitterPodTemplate'].includes(key);
  const text = JSON.stringify({ ...definition, spec: { ...definition?.spec, versions } }, (key, value: unknown) =>
    isOpen(key) ? { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } : value,
  );
  return JSON.parse(text) as CustomResourceDefinition;
}

/** A namespace with a cluster of somebody's own, and one or two jobs. */
export async function prepare(backstage: Backstage): Promise<void> {
  const { api, client, choices } = backstage;
  await client.create(resources.namespaces, { metadata: { name: NAMESPACE } });
  for (const resource of SERVED) api.registry.serve(resource);
  const shared: RayCluster = { metadata: { name: SHARED, namespace: NAMESPACE }, spec: rayClusterSpec() };
  await client.create(resources.rayClusters, shared);
  const names = choices.chance(0.3) ? JOBS : JOBS.slice(0, 1);
  for (const name of names) await createJob(backstage, name);
}

export async function createJob({ client, choices }: Backstage, name: string): Promise<void> {
  const spec = randomSpec(choices);
  // No two attempts side by side, where a user wants that.
  const annotations = choices.chance(0.5) ? { [Annotation.WaitForOldPods]: 'true' } : {};
  const job: RayJob = { metadata: { name, namespace: NAMESPACE, annotations }, spec };
  await client.create(resources.rayJobs, job);
}

/** A job's kind stays what it is for its whole life, so that promises can be held against it. */
function randomSpec(choices: Choices): RayJobSpec {
  const modes = [
    'K8sJobMode',
    'HTTPMode',
    'SidecarMode',
    'HTTPMode',
    'K8sJobMode',
    'SidecarMode',
    'InteractiveMode',
  ] as const;
  const submissionMode = modes[choices.pick(modes.length)] ?? 'K8sJobMode';
  const given = {
    submissionMode,
    ...(submissionMode === 'InteractiveMode' ? {} : { entrypoint: 'python app.py' }),
    ...(choices.chance(0.2) ? { activeDeadlineSeconds: 30 } : {}),
  };
  if (submissionMode !== 'SidecarMode' && choices.chance(0.2))
    return {
      ...given,
      clusterSelector: { 'ray.io/cluster': SHARED },
      ...(choices.chance(0.5) ? { activeDeadlineSeconds: 30 } : {}),
    };
  return {
    ...given,
    rayClusterSpec: rayClusterSpec(),
    // Only such a job may be suspended.
    shutdownAfterJobFinishes: true,
    ...(submissionMode !== 'InteractiveMode' && choices.chance(0.5) ? { backoffLimit: 1 + choices.pick(2) } : {}),
  };
}

/** What is stored as a RayJob is one: the server has checked it. */
export function asJob(object: StoredObject): RayJob & StoredObject {
  return object;
}

/** As above, for RayClusters. */
export function asCluster(object: StoredObject): RayCluster & StoredObject {
  return object;
}

/** The uid of the controller that owns an object. */
export function ownerOf({ metadata }: StoredObject): string | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller === true)?.uid;
}

export function isGoing({ metadata }: StoredObject): boolean {
  return metadata.deletionTimestamp !== undefined;
}
