import type { KubeObject } from '@manta/api';
import type { ResourceType } from '@manta/kube';
import { keyOf, type ObjectKey } from '../object-key.ts';

/** One write, as watches report it. */
export interface Written {
  readonly version: number;
  readonly resource: string;
  readonly before: KubeObject | undefined;
  /** The object as written; for a removal its last state under the version of the removal. */
  readonly object: KubeObject;
  readonly isRemoval: boolean;
}

/** Names a resource inside the storage. */
export function resourceId(type: ResourceType): string {
  return `${type.plural}.${type.group}`;
}

/** Objects under one growing version, with a bounded memory of what was written. Everything in it is frozen. */
export class FakeStorage {
  readonly #objects = new Map<string, Map<ObjectKey, KubeObject>>();
  readonly #historyLimit: number;
  readonly #listeners = new Set<(written: Written) => void>();
  #history: Written[] = [];
  #version = 1000;
  /** Versions up to here are no longer remembered. */
  #forgotten = 0;

  constructor(historyLimit: number) {
    this.#historyLimit = historyLimit;
  }

  get version(): number {
    return this.#version;
  }

  get(type: ResourceType, key: ObjectKey): KubeObject | undefined {
    return this.#collection(type).get(key);
  }

  /** All objects of a kind, in the order of their keys. */
  all(type: ResourceType): readonly KubeObject[] {
    const entries = [...this.#collection(type)];
    return entries.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, object]) => object);
  }

  put(type: ResourceType, object: KubeObject): KubeObject {
    const key = keyOf(object);
    const before = this.get(type, key);
    const stored = this.#stamp(object);
    this.#collection(type).set(key, stored);
    this.#record({ version: this.#version, resource: resourceId(type), before, object: stored, isRemoval: false });
    return stored;
  }

  remove(type: ResourceType, key: ObjectKey): KubeObject | undefined {
    const before = this.get(type, key);
    if (before === undefined) return undefined;
    this.#collection(type).delete(key);
    const object = this.#stamp(before);
    this.#record({ version: this.#version, resource: resourceId(type), before, object, isRemoval: true });
    return object;
  }

  /** Writes after `version`, or undefined when some of them are forgotten. */
  since(version: number): readonly Written[] | undefined {
    if (version < this.#forgotten) return undefined;
    return this.#history.filter((written) => written.version > version);
  }

  /** Forgets all history, as etcd's compaction does. */
  compact(): void {
    this.#history = [];
    this.#forgotten = this.#version;
  }

  /** Moves the version on, as writes of other kinds do. */
  touch(): void {
    this.#version += 1;
  }

  onWrite(listener: (written: Written) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #stamp(object: KubeObject): KubeObject {
    this.#version += 1;
    return deepFreeze({ ...object, metadata: { ...object.metadata, resourceVersion: String(this.#version) } });
  }

  #record(written: Written): void {
    this.#history.push(written);
    if (this.#history.length > this.#historyLimit) this.#forgotten = this.#history.shift()?.version ?? this.#forgotten;
    for (const listener of this.#listeners) listener(written);
  }

  #collection(type: ResourceType): Map<ObjectKey, KubeObject> {
    const id = resourceId(type);
    const known = this.#objects.get(id);
    if (known !== undefined) return known;
    const fresh = new Map<ObjectKey, KubeObject>();
    this.#objects.set(id, fresh);
    return fresh;
  }
}

function deepFreeze<T extends object>(value: T): T {
  for (const part of Object.values(value)) if (typeof part === 'object' && part !== null) deepFreeze(part);
  return Object.freeze(value);
}
