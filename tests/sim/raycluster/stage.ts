import {
  type CustomResourceDefinition,
  type Pod,
  type RayCluster,
  type RayClusterSpec,
  Label,
  NodeType,
  type WorkerGroupSpec,
} from '@manta/api';
import { crds } from '@manta/api/crds';
import type { ServedResource, StoredObject } from '@manta/apiserver';
import { isInvalid, resources } from '@manta/kube';
import { servedDefinition } from '../../../packages/apiserver/src/registry/served-definition.ts';
import type { Choices } from '../choices.ts';
import { lightResource } from '../light-server.ts';
import { anyEdit } from './spec-edits.ts';
import type { Backstage } from '../scenario.ts';

/** Where everything happens. */
export const NAMESPACE = 'default';
export const CLUSTERS = ['a', 'b'] as const;
export const GROUPS = ['x', 'y', 'z'] as const;

/** What the store calls them. */
export const STORED = { clusters: 'ray.io/rayclusters', pods: '/pods', jobs: 'batch/jobs' } as const;

/** Pods that the operator has nothing to do with, one of them with labels like those of its own. */
export const STRANGERS = ['stranger', 'lookalike'] as const;

/** RayClusters in their current version, with pod templates left open: checking those takes most of a run's time. */
const RAY_CLUSTERS = lightResource(servedDefinition(openTemplates()) as ServedResource);

function openTemplates(): CustomResourceDefinition {
  const definition = crds().find(({ spec }) => spec.names.kind === 'RayCluster');
  const versions = definition?.spec.versions.filter(({ storage }) => storage);
  const text = JSON.stringify({ ...definition, spec: { ...definition?.spec, versions } }, (key, value: unknown) => {
    const isTemplate = key === 'template' || key === 'headService';
    return isTemplate ? { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } : value;
  });
  return JSON.parse(text) as CustomResourceDefinition;
}

/** A namespace with two clusters and two strangers in it. */
export async function prepare(backstage: Backstage): Promise<void> {
  const { api, client, choices } = backstage;
  await client.create(resources.namespaces, { metadata: { name: NAMESPACE } });
  await client.create(resources.serviceAccounts, { metadata: { name: 'default', namespace: NAMESPACE } });
  api.registry.serve(RAY_CLUSTERS);
  // A second cluster doubles the work and seldom tells more.
  const names = choices.chance(0.3) ? CLUSTERS : CLUSTERS.slice(0, 1);
  for (const name of names) await createCluster(backstage, name);
  const lookalike = { [Label.Cluster]: 'elsewhere', [Label.NodeType]: NodeType.Worker, [Label.Group]: 'x' };
  for (const name of STRANGERS) {
    const labels = name === 'lookalike' ? lookalike : {};
    const metadata = { name, namespace: NAMESPACE, labels };
    await client.create(resources.pods, { metadata, spec: { containers: [{ name: 'main', image: 'x' }] } });
  }
}

export async function createCluster({ client, choices }: Backstage, name: string): Promise<void> {
  const metadata = { name, namespace: NAMESPACE };
  const plain = randomSpec(choices);
  let spec = plain;
  for (let edits = choices.pick(4); edits > 0; edits -= 1) spec = anyEdit(spec, choices);
  await client.create(resources.rayClusters, { metadata, spec }).catch(async (error: unknown) => {
    if (!isInvalid(error)) throw error;
    await client.create(resources.rayClusters, { metadata, spec: plain });
  });
}

/** Where the GCS keeps its state. */
const FAULT_TOLERANT = {
  redis: { gcsFaultToleranceOptions: { redisAddress: 'redis:6379' } },
  embedded: { gcsFaultToleranceOptions: { backend: 'rocksdb', storage: { size: '1Gi' } } },
} as const;

function randomSpec(choices: Choices): RayClusterSpec {
  const groups = GROUPS.slice(0, 1 + choices.pick(2));
  return {
    rayVersion: '2.52.0',
    ...(choices.chance(0.4) ? { enableInTreeAutoscaling: true } : {}),
    ...[{}, {}, {}, FAULT_TOLERANT.redis, FAULT_TOLERANT.redis, FAULT_TOLERANT.embedded][choices.pick(6)],
    ...(choices.chance(0.3) ? { upgradeStrategy: { type: 'Recreate' } } : {}),
    headGroupSpec: { rayStartParams: {}, template: templateOf('ray:1') },
    workerGroupSpecs: groups.map((groupName) => randomGroup(choices, groupName)),
  };
}

export function randomGroup(choices: Choices, groupName: string): WorkerGroupSpec {
  return {
    groupName,
    replicas: 1 + choices.pick(3),
    minReplicas: 0,
    maxReplicas: 5,
    numOfHosts: choices.chance(0.25) ? 2 : 1,
    rayStartParams: {},
    template: templateOf('ray:1'),
  };
}

export function templateOf(image: string): WorkerGroupSpec['template'] {
  return { spec: { containers: [{ name: 'ray', image }] } };
}

export function readiness(status: 'True' | 'False'): readonly object[] {
  return ['Ready', 'ContainersReady'].map((type) => ({ type, status }));
}

/** What is stored as a RayCluster is one: the server has checked it. */
export function asCluster(object: StoredObject): RayCluster {
  return object;
}

/** As above, for pods. */
export function asPod(object: StoredObject): Pod {
  return object;
}

/** The cluster that made a pod, by uid. */
export function ownerOf({ metadata }: StoredObject): string | undefined {
  const owners = metadata.ownerReferences ?? [];
  return owners.find(({ kind, controller }) => kind === 'RayCluster' && controller === true)?.uid;
}

export function groupOf({ metadata }: StoredObject): string {
  return metadata.labels?.[Label.Group] ?? '';
}

/** Which of its group's places a worker holds. */
export function placeOf({ metadata }: StoredObject): string {
  return [Label.ReplicaIndex, Label.ReplicaHostIndex].map((label) => metadata.labels?.[label] ?? '').join('.');
}

export function isHead({ metadata }: StoredObject): boolean {
  return metadata.labels?.[Label.NodeType] === NodeType.Head;
}

export function isWorker({ metadata }: StoredObject): boolean {
  return metadata.labels?.[Label.NodeType] === NodeType.Worker;
}

export function isGoing({ metadata }: StoredObject): boolean {
  return metadata.deletionTimestamp !== undefined;
}

export function hasEnded(object: StoredObject): boolean {
  const phase = asPod(object).status?.phase;
  return phase === 'Failed' || phase === 'Succeeded';
}

/** Runs, is ready, and stays. */
export function isReady(object: StoredObject): boolean {
  const { status } = asPod(object);
  const isTrue = status?.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True');
  return status?.phase === 'Running' && isTrue === true && !isGoing(object);
}

/** Has ended, or Ray has in it. */
export function hasFailed(object: StoredObject): boolean {
  const { containerStatuses = [] } = asPod(object).status ?? {};
  return hasEnded(object) || containerStatuses.some(({ state }) => state?.terminated !== undefined);
}
