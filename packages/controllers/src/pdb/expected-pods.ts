import { ownValue } from '@manta/base';
import { isRecord, type OwnerReference, type Pod } from '@manta/api';
import { type ResourceInfo, resourceName, type Store } from '@manta/apiserver';
import type { Stored } from '../framework/cluster.ts';
import { readOne } from '../framework/cluster.ts';
import { customResourceDefinitions } from '../framework/kinds.ts';
import { controllerOf } from '../framework/owner.ts';

/** How many pods there should be, by the word of their controllers. */
export interface Expected {
  readonly count: number;
  /** Names of pods without a controller: they cannot be counted. */
  readonly unmanaged: readonly string[];
}

/** The expected number of pods is unknown; the message says why. */
export class ScaleError extends Error {
  override readonly name = 'ScaleError';
}

/** Adds up the replicas that the controllers of these pods ask for; throws `ScaleError` where one has no scale. */
export function expectedPods(store: Store, resources: readonly ResourceInfo[], pods: readonly Stored<Pod>[]): Expected {
  const replicas = new Map<string, number>();
  const unmanaged: string[] = [];
  for (const pod of pods) {
    const owner = controllerOf(pod);
    if (owner === undefined) unmanaged.push(pod.metadata.name);
    else if (!replicas.has(owner.uid))
      replicas.set(owner.uid, replicasOf(store, resources, owner, pod.metadata.namespace ?? ''));
  }
  return { count: [...replicas.values()].reduce((sum, count) => sum + count, 0), unmanaged };
}

function replicasOf(
  store: Store,
  resources: readonly ResourceInfo[],
  owner: OwnerReference,
  namespace: string,
): number {
  const [group = '', version = ''] = owner.apiVersion.includes('/')
    ? owner.apiVersion.split('/')
    : ['', owner.apiVersion];
  const info = resources.find((served) => served.group === group && served.kind === owner.kind);
  const name = info === undefined ? owner.kind : `${info.plural}.${group}`;
  const path = info === undefined ? undefined : scalePath(store, info, version);
  if (info === undefined || path === undefined)
    throw new ScaleError(`${name} does not implement the scale subresource`);
  const object = store.get({ resource: resourceName(info), namespace, name: owner.name });
  const value = path.split('.').reduce<unknown>((at, key) => (isRecord(at) ? ownValue(at, key) : undefined), object);
  return typeof value === 'number' ? value : 0;
}

/** Where a custom resource says how many replicas it wants, without the leading dot. */
function scalePath(store: Store, { group, plural }: ResourceInfo, version: string): string | undefined {
  const definition = readOne(store, customResourceDefinitions, '', `${plural}.${group}`);
  const served = definition?.spec.versions.find(({ name }) => name === version);
  return served?.subresources?.scale?.specReplicasPath.replace(/^\./, '');
}
