import type { KubeObject } from '@manta/api';
import type { ResourceType } from '@manta/kube';
import type { ScopeStatus } from './informer-status.ts';
import type { Logger } from './logger.ts';
import { keyOf, type ObjectKey } from './object-key.ts';
import type { ChangeType } from './reflector.ts';
import { Reflector, type ReflectorSink, type Selection } from './reflector-driver.ts';
import type { Change, Entry, Store } from './store.ts';
import type { World } from './world.ts';

/** What an informer needs of the {@link World}. */
export type InformerWorld = Pick<World, 'clock' | 'random' | 'client' | 'log'>;

export interface ScopeOptions<T extends KubeObject, R> {
  readonly type: ResourceType<T>;
  readonly selection: Selection;
  readonly isForeign?: boolean | undefined;
  readonly store: Store<R, string>;
  readonly project: (object: T) => R;
  /** The store has changed; `isInitial` for the scope's first content. */
  readonly changed: (changes: readonly Change<R>[], isInitial: boolean) => void;
  /** A whole content was taken over, or the seen version moved without a change. */
  readonly progressed: () => void;
  readonly moved: () => void;
  readonly log: Logger;
}

/** One namespace of an informer (or all of them): a reflector that feeds its part of the store. */
export class InformerScope<T extends KubeObject, R> implements ReflectorSink<T> {
  readonly #options: ScopeOptions<T, R>;
  readonly #reflector: Reflector<T>;
  #staged = new Map<ObjectKey, Entry<R>>();
  #seenVersion: string | undefined;
  #status: ScopeStatus | undefined;

  constructor(world: InformerWorld, options: ScopeOptions<T, R>) {
    this.#options = options;
    const { type, selection, isForeign } = options;
    this.#reflector = new Reflector({ ...world, type, selection, isForeign, sink: this });
  }

  get seenVersion(): string | undefined {
    return this.#seenVersion;
  }

  /** The same object for as long as nothing has changed. */
  status(): ScopeStatus {
    const { trouble } = this.#reflector.reflection;
    const hasContent = this.#seenVersion !== undefined;
    if (this.#status?.hasContent !== hasContent || this.#status.trouble !== trouble)
      this.#status = { namespace: this.#options.selection.namespace, hasContent, trouble };
    return this.#status;
  }

  retryNow(): void {
    this.#reflector.retryNow();
  }

  async run(signal: AbortSignal): Promise<void> {
    await this.#reflector.run(signal);
  }

  discard(): void {
    this.#staged = new Map();
  }

  stage(change: ChangeType, object: T): void {
    const key = keyOf(object);
    if (change === 'DELETED') {
      this.#staged.delete(key);
      return;
    }
    const entry = this.#entryOf(key, object);
    if (entry !== undefined) this.#staged.set(key, entry);
  }

  commit(resourceVersion: string): void {
    const isInitial = this.#seenVersion === undefined;
    const changes = this.#options.store.replace(this.#options.selection.namespace, this.#staged);
    this.#staged = new Map();
    this.#seenVersion = resourceVersion;
    this.#options.changed(changes, isInitial);
    this.#options.progressed();
  }

  apply(change: ChangeType, object: T, resourceVersion: string): void {
    const key = keyOf(object);
    const { store } = this.#options;
    const entry = change === 'DELETED' ? undefined : this.#entryOf(key, object);
    this.#seenVersion = resourceVersion;
    if (change === 'DELETED') this.#options.changed(store.remove(key), false);
    else if (entry !== undefined) this.#options.changed(store.put(key, entry), false);
  }

  advance(resourceVersion: string): void {
    this.#seenVersion = resourceVersion;
    this.#options.progressed();
  }

  moved(): void {
    this.#options.moved();
  }

  /** The entry already held where it is the same version; the old one, if any, where the object cannot be understood. */
  #entryOf(key: ObjectKey, object: T): Entry<R> | undefined {
    const { uid = '', resourceVersion = '' } = object.metadata ?? {};
    const held = this.#options.store.entry(key);
    if (held?.uid === uid && held.resourceVersion === resourceVersion) return held;
    try {
      return { uid, resourceVersion, record: this.#options.project(object) };
    } catch (error) {
      this.#options.log.error('Object cannot be understood and is left as it was', error, { key });
      return held;
    }
  }
}
