import type { OwnerReference } from '@manta/api';
import {
  type ResourceInfo,
  type ResourceName,
  resourceName,
  type StoredObject,
  type StoreEvent,
  type StoreKey,
} from '@manta/apiserver';
import { type Cluster, nameOf, refOf, typeOf } from '../framework/cluster.ts';
import type { Controller, Enqueue } from '../framework/controller.ts';
import { createEventRecorder, type RecordEvent, type InvolvedObject } from '../framework/event-recorder.ts';
import { customResourceDefinitions } from '../framework/kinds.ts';
import { OwnerGraph, ownersOf } from '../framework/owner-graph.ts';
import { resolveOwner } from './resolve-owner.ts';

/** The finalizer that keeps an owner until its dependents are deleted. */
export const FOREGROUND = 'foregroundDeletion';
/** The finalizer that keeps an owner until its dependents have forgotten it. */
export const ORPHAN = 'orphan';

/** Kinds that are not collected because they expire. */
const UNTRACKED: ReadonlySet<ResourceName> = new Set<ResourceName>(['/events', 'events.k8s.io/events']);

/** Deletes what has lost its owners, and carries out foreground and orphaning deletions. */
export function garbageCollector(cluster: Cluster): Controller {
  const collector = new Collector(cluster);
  return {
    name: 'garbage-collector',
    keysOf: (event) => collector.follow(event),
    reconcile: async (key, enqueue) => {
      await collector.attend(parseKey(key), enqueue);
      return undefined;
    },
  };
}

class Collector {
  readonly #cluster: Cluster;
  readonly #record: RecordEvent;
  readonly #graph = new OwnerGraph();
  /** Objects with owners of unserved kinds; requeued when a CRD changes. */
  readonly #puzzling = new Set<string>();

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
    this.#record = createEventRecorder(cluster, 'garbage-collector-controller');
  }

  /** The object itself, those that it owns when it goes, and those that may be waiting for it. */
  follow(event: StoreEvent): readonly string[] {
    const { key, object, type } = event;
    if (UNTRACKED.has(key.resource)) return [];
    this.#graph.follow(event);
    const owners = ownersOf(event.before ?? object).flatMap(({ uid }) => this.#graph.find(uid) ?? []);
    const concerned = type === 'DELETED' ? this.#graph.dependentsOf(object.metadata.uid) : [key];
    const puzzling = key.resource === nameOf(customResourceDefinitions) ? [...this.#puzzling] : [];
    return [...[...concerned, ...owners].map(formatKey), ...puzzling];
  }

  async attend(key: StoreKey, enqueue: Enqueue): Promise<void> {
    this.#puzzling.delete(formatKey(key));
    const object = this.#cluster.store.get(key);
    const info = this.#cluster.resources().find((served) => resourceName(served) === key.resource);
    if (object === undefined || info === undefined) return;
    if (object.metadata.deletionTimestamp === undefined) await this.#checkOwners(key, object, info, enqueue);
    else await this.#finishDeletion(key, object, info, enqueue);
  }

  async #finishDeletion(key: StoreKey, object: StoredObject, info: ResourceInfo, enqueue: Enqueue): Promise<void> {
    const { finalizers = [], uid } = object.metadata;
    const dependents = this.#graph.dependentsOf(uid);
    if (finalizers.includes(ORPHAN)) {
      for (const dependent of dependents) await this.#forgetOwners(dependent, new Set([uid]));
      await this.#removeFinalizer(key, object, info, ORPHAN);
    } else if (finalizers.includes(FOREGROUND)) {
      for (const dependent of dependents) if (!this.#isDeleting(dependent)) enqueue(formatKey(dependent));
      if (!dependents.some((dependent) => this.#blocks(dependent, uid))) {
        await this.#removeFinalizer(key, object, info, FOREGROUND);
      }
    }
  }

  #isDeleting(key: StoreKey): boolean {
    return this.#cluster.store.get(key)?.metadata.deletionTimestamp !== undefined;
  }

  #blocks(dependent: StoreKey, owner: string): boolean {
    const references = ownersOf(this.#cluster.store.get(dependent));
    return references.some(({ uid, blockOwnerDeletion }) => uid === owner && blockOwnerDeletion === true);
  }

  async #checkOwners(key: StoreKey, object: StoredObject, info: ResourceInfo, enqueue: Enqueue): Promise<void> {
    const references = ownersOf(object);
    if (references.length === 0) return;
    const owners = this.#sort(references, key);
    if (owners.puzzling) this.#puzzling.add(formatKey(key));
    await this.#warnOfOwnersElsewhere(key, object, owners.absent);
    if (owners.solid > 0) {
      const gone = [...owners.absent, ...owners.waiting];
      if (gone.length > 0) await this.#forgetOwners(key, new Set(gone.map(({ uid }) => uid)));
      for (const { uid } of owners.waiting) {
        const owner = this.#graph.find(uid);
        if (owner !== undefined) enqueue(formatKey(owner));
      }
      return;
    }
    const dependents = this.#graph.dependentsOf(object.metadata.uid);
    const isForeground = owners.waiting.length > 0 && dependents.length > 0;
    if (isForeground) await this.#leaveCircle(key, object, info, dependents);
    await this.#remove(key, object, info, isForeground ? 'Foreground' : policyOf(object));
  }

  /** Where an object's own dependents wait for theirs, they may be waiting for it: it stops blocking its owners. */
  async #leaveCircle(
    key: StoreKey,
    object: StoredObject,
    info: ResourceInfo,
    dependents: readonly StoreKey[],
  ): Promise<void> {
    const waits = dependents
      .map((dependent) => this.#cluster.store.get(dependent))
      .filter((found) => found !== undefined);
    if (!waits.some(isWaiting)) return;
    const ownerReferences = ownersOf(object).map((reference) => ({ ...reference, blockOwnerDeletion: false }));
    await this.#patchMeta(key, object, info, { ownerReferences });
  }

  /** An owner that cannot be judged counts as solid: better to keep too much. */
  #sort(references: readonly OwnerReference[], dependent: StoreKey) {
    const absent: OwnerReference[] = [];
    const waiting: OwnerReference[] = [];
    let solid = 0;
    let puzzling = false;
    for (const reference of references) {
      const owner = resolveOwner(this.#cluster.store, this.#cluster.resources(), reference, dependent);
      if (owner.state === 'absent') absent.push(reference);
      else if (owner.state === 'present' && isWaiting(owner.object)) waiting.push(reference);
      else solid += 1;
      puzzling ||= owner.state === 'unknown-kind';
    }
    return { absent, waiting, solid, puzzling };
  }

  async #warnOfOwnersElsewhere(key: StoreKey, object: StoredObject, absent: readonly OwnerReference[]): Promise<void> {
    for (const { apiVersion, kind, name, uid } of absent) {
      const elsewhere = this.#graph.find(uid);
      if (elsewhere === undefined || elsewhere.namespace === key.namespace) continue;
      const reference = `[${apiVersion}/${kind}, namespace: ${key.namespace}, name: ${name}, uid: ${uid}]`;
      const message = `ownerRef ${reference} does not exist in namespace "${key.namespace}"`;
      await this.#record(asInvolvedObject(object), 'Warning', 'OwnerRefInvalidNamespace', message);
    }
  }

  async #forgetOwners(key: StoreKey, gone: ReadonlySet<string>): Promise<void> {
    const object = this.#cluster.store.get(key);
    const info = this.#cluster.resources().find((served) => resourceName(served) === key.resource);
    if (object === undefined || info === undefined) return;
    const kept = ownersOf(object).filter(({ uid }) => !gone.has(uid));
    await this.#patchMeta(key, object, info, { ownerReferences: kept.length === 0 ? null : kept });
  }

  async #removeFinalizer(key: StoreKey, object: StoredObject, info: ResourceInfo, finalizer: string): Promise<void> {
    const kept = (object.metadata.finalizers ?? []).filter((other) => other !== finalizer);
    await this.#patchMeta(key, object, info, { finalizers: kept.length === 0 ? null : kept });
  }

  async #patchMeta(key: StoreKey, object: StoredObject, info: ResourceInfo, change: object): Promise<void> {
    const { uid, resourceVersion } = object.metadata;
    const body = { metadata: { uid, resourceVersion, ...change } };
    await this.#cluster.writes.patch(typeOf(info), refOf(key), { type: 'merge', body });
  }

  async #remove(key: StoreKey, object: StoredObject, info: ResourceInfo, propagation: Propagation): Promise<void> {
    const { uid } = object.metadata;
    await this.#cluster.writes.delete(typeOf(info), refOf(key), { propagation, preconditions: { uid } });
  }
}

type Propagation = 'Foreground' | 'Background' | 'Orphan';

/** An earlier deletion policy stays in effect. */
function policyOf({ metadata: { finalizers = [] } }: StoredObject): Propagation {
  if (finalizers.includes(ORPHAN)) return 'Orphan';
  return finalizers.includes(FOREGROUND) ? 'Foreground' : 'Background';
}

/** Whether an owner is being deleted in the foreground. */
function isWaiting({ metadata }: StoredObject): boolean {
  return metadata.deletionTimestamp !== undefined && (metadata.finalizers ?? []).includes(FOREGROUND);
}

function asInvolvedObject(object: StoredObject): InvolvedObject {
  return { apiVersion: object.apiVersion, kind: object.kind, metadata: object.metadata };
}

function formatKey({ resource, namespace, name }: StoreKey): string {
  return `${resource} ${namespace} ${name}`;
}

function parseKey(key: string): StoreKey {
  const [resource = '', namespace = '', name = ''] = key.split(' ');
  const [group = '', plural = ''] = resource.split('/');
  return { resource: `${group}/${plural}`, namespace, name };
}
