import type { ServedResource, ServedVersion } from './served-resource.ts';

/** A served resource and the version that a path names. */
export interface ServedAt {
  readonly resource: ServedResource;
  readonly version: ServedVersion;
}

/** The resources that are served right now; definitions add and remove some while the server runs. */
export class Registry {
  readonly #resources = new Map<string, ServedResource>();
  readonly #listeners = new Set<() => void>();
  #generation = 0;

  /** Incremented with every change, so that results derived from the registry can be cached. */
  get generation(): number {
    return this.#generation;
  }

  /** Serves a resource, in place of one of the same name. */
  serve(resource: ServedResource): void {
    this.#resources.set(keyOf(resource.info.group, resource.info.plural), resource);
    this.#changed();
  }

  /** Stops serving a resource. */
  remove(group: string, plural: string): void {
    if (this.#resources.delete(keyOf(group, plural))) this.#changed();
  }

  find(group: string, version: string, plural: string): ServedAt | undefined {
    const resource = this.#resources.get(keyOf(group, plural));
    const found = resource?.versions.get(version);
    return resource === undefined || found === undefined ? undefined : { resource, version: found };
  }

  /** The resource by group and plural, whatever the version. */
  resource(group: string, plural: string): ServedResource | undefined {
    return this.#resources.get(keyOf(group, plural));
  }

  /** The resource that serves a kind: what owner references and bindings name. */
  byKind(group: string, kind: string): ServedResource | undefined {
    return this.all().find(({ info }) => info.group === group && info.kind === kind);
  }

  all(): readonly ServedResource[] {
    return [...this.#resources.values()];
  }

  /** Calls back after every change; the returned function ends it. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #changed(): void {
    this.#generation += 1;
    for (const listener of this.#listeners) listener();
  }
}

function keyOf(group: string, plural: string): string {
  return `${group}/${plural}`;
}
