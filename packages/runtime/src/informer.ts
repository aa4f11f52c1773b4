import type { KubeObject } from '@manta/api';
import type { ResourceType } from '@manta/kube';
import type { IndexFunction } from './index-by.ts';
import { InformerScope, type InformerWorld } from './informer-scope.ts';
import {
  combineScopes,
  describeStatus,
  type InformerStatus,
  isScopeReady,
  type ScopeStatus,
} from './informer-status.ts';
import { Interner } from './intern.ts';
import type { Logger } from './logger.ts';
import { namespaceOf, type ObjectKey } from './object-key.ts';
import type { Selection } from './reflector-driver.ts';
import { hasReached } from './resource-version.ts';
import { type Change, type Entry, Store } from './store.ts';

export type { InformerWorld } from './informer-scope.ts';

/** A change as informers report it. */
export interface InformerChange<R> extends Change<R> {
  /** Part of the first content, as opposed to something that happened since. */
  readonly isInitial: boolean;
}

export interface InformerOptions<T extends KubeObject, R, I extends string> extends Omit<Selection, 'namespace'> {
  readonly type: ResourceType<T>;
  /** What to keep of an object: everything else is dropped as it arrives. Must not change the object. */
  readonly project: (object: T, intern: Interner) => R;
  /** Absent or empty: all namespaces. */
  readonly namespaces?: readonly string[] | undefined;
  readonly indexes?: Readonly<Record<I, IndexFunction<R>>>;
  /** A third-party kind that may be absent: then discovery is retried every five minutes. */
  readonly isForeign?: boolean;
  /** For a foreign kind: another kind of the same API reports that the API is absent, and once is enough. */
  readonly isSilentWhenAbsent?: boolean;
}

/** A local copy of one kind, kept up to date. Reads are immediate, shared, and never to be changed. */
export interface Informer<R = unknown, I extends string = never> {
  readonly type: ResourceType;
  readonly size: number;
  get(key: ObjectKey): R | undefined;
  /** The version and identity under which `key` is known. */
  entry(key: ObjectKey): Entry<R> | undefined;
  keys(): IterableIterator<ObjectKey>;
  records(): Iterable<R>;
  by(index: I, value: string): readonly R[];
  /** Calls `handler` for each change from now on; the content already shows it (and all that came with it). Returns its own undo. */
  onChange(handler: (change: InformerChange<R>) => void): () => void;
  /** Calls `handler` whenever many changes, or none, were learned at once: a new content, or news that nothing changed. */
  onProgress(handler: () => void): () => void;
  status(): InformerStatus;
  onStatus(handler: (status: InformerStatus) => void): () => void;
  /** True when the content of this namespace (absent: of all that can be read) is complete and we may still read it. */
  isReady(namespace?: string): boolean;
  /** True once all that can be read has been read. */
  hasSynced(): boolean;
  /** True when every change up to `resourceVersion` in the namespace of `key` is in the content. */
  hasSeen(key: ObjectKey, resourceVersion: string): boolean;
  /** The state of one namespace's content. */
  seenVersion(namespace?: string): string | undefined;
  /** Does not wait for the next attempt where something is forbidden, absent or failing. */
  retryNow(): void;
  /** Follows the kind until the signal is aborted; never rejects. */
  run(signal: AbortSignal): Promise<void>;
}

/** An informer that does nothing until it is run. */
export function createInformer<T extends KubeObject, R, I extends string = never>(
  world: InformerWorld,
  options: InformerOptions<T, R, I>,
): Informer<R, I> {
  return new KindInformer(world, options);
}

class KindInformer<T extends KubeObject, R, I extends string> implements Informer<R, I> {
  readonly type: ResourceType<T>;
  readonly #log: Logger;
  readonly #store: Store<R, I>;
  readonly #scopes: ReadonlyMap<string | undefined, InformerScope<T, R>>;
  readonly #onChange = new Set<(change: InformerChange<R>) => void>();
  readonly #onProgress = new Set<() => void>();
  readonly #onStatus = new Set<(status: InformerStatus) => void>();
  readonly #scopeList: readonly InformerScope<T, R>[];
  readonly #isForeign: boolean;
  readonly #isSilentWhenAbsent: boolean;
  #phase: InformerStatus['phase'] = 'starting';
  /** Memoised: recomputed only after a change. */
  #status: { readonly of: readonly ScopeStatus[]; readonly status: InformerStatus } = {
    of: [],
    status: combineScopes([]),
  };

  constructor(world: InformerWorld, options: InformerOptions<T, R, I>) {
    this.type = options.type;
    this.#isForeign = options.isForeign === true;
    this.#isSilentWhenAbsent = options.isSilentWhenAbsent === true;
    this.#log = world.log.named('informer').with({ kind: options.type.kind });
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- without indexes there is no name to ask for: `I` is `never`
    this.#store = new Store<R, I>(options.indexes ?? ({} as Readonly<Record<I, IndexFunction<R>>>));
    const intern = new Interner();
    const { namespaces = [], type, project, labelSelector, fieldSelector, content = 'unmanaged', shape } = options;
    const scopes = namespaces.length === 0 ? [undefined] : namespaces;
    this.#scopes = new Map(
      scopes.map((namespace) => [
        namespace,
        new InformerScope<T, R>(world, {
          type,
          selection: { namespace, labelSelector, fieldSelector, content, shape },
          isForeign: options.isForeign,
          store: this.#store,
          project: (object) => project(object, intern),
          changed: (changes, isInitial) => this.#changed(changes, isInitial),
          progressed: () => this.#notify(this.#onProgress, undefined),
          moved: () => this.#moved(),
          log: this.#log.with({ namespace }),
        }),
      ]),
    );
    this.#scopeList = [...this.#scopes.values()];
  }

  get size(): number {
    return this.#store.size;
  }

  get(key: ObjectKey): R | undefined {
    return this.#store.get(key);
  }

  entry(key: ObjectKey): Entry<R> | undefined {
    return this.#store.entry(key);
  }

  keys(): IterableIterator<ObjectKey> {
    return this.#store.keys();
  }

  records(): Iterable<R> {
    return this.#store.records();
  }

  by(index: I, value: string): readonly R[] {
    return this.#store.by(index, value);
  }

  onChange(handler: (change: InformerChange<R>) => void): () => void {
    return subscribe(this.#onChange, handler);
  }

  onProgress(handler: () => void): () => void {
    return subscribe(this.#onProgress, handler);
  }

  onStatus(handler: (status: InformerStatus) => void): () => void {
    return subscribe(this.#onStatus, handler);
  }

  status(): InformerStatus {
    const { of, status } = this.#status;
    if (this.#scopeList.every((scope, at) => scope.status() === of[at])) return status;
    const scopes = this.#scopeList.map((scope) => scope.status());
    this.#status = { of: scopes, status: combineScopes(scopes) };
    return this.#status.status;
  }

  isReady(namespace?: string): boolean {
    const scope = this.#scope(namespace);
    return scope === undefined ? this.hasSynced() : isScopeReady(scope.status());
  }

  hasSynced(): boolean {
    const { phase } = this.status();
    return phase === 'synced' || (phase === 'failing' && this.#hasAllContent());
  }

  hasSeen(key: ObjectKey, resourceVersion: string): boolean {
    return hasReached(this.seenVersion(namespaceOf(key)), resourceVersion);
  }

  seenVersion(namespace?: string): string | undefined {
    return this.#scope(namespace)?.seenVersion;
  }

  retryNow(): void {
    for (const scope of this.#scopes.values()) scope.retryNow();
  }

  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([...this.#scopes.values()].map((scope) => scope.run(signal)));
  }

  /** The scope that a namespace belongs to; cluster-wide informers have one for all. */
  #scope(namespace: string | undefined): InformerScope<T, R> | undefined {
    return this.#scopes.get(undefined) ?? this.#scopes.get(namespace);
  }

  #hasAllContent(): boolean {
    return this.#scopeList.every((scope) => {
      const { hasContent, trouble } = scope.status();
      return hasContent || trouble?.kind === 'forbidden' || trouble?.kind === 'absent';
    });
  }

  #changed(changes: readonly Change<R>[], isInitial: boolean): void {
    for (const change of changes) this.#notify(this.#onChange, { ...change, isInitial });
  }

  #moved(): void {
    const status = this.status();
    if (status.phase !== this.#phase) {
      const text = describeStatus(this.type.kind, status);
      if (status.phase === 'synced') this.#log.debug('Informer synced', { objects: this.size });
      else if (status.phase === 'absent' && this.#isForeign) this.#tellAbsent();
      else if (status.phase !== 'starting')
        this.#log.warn('Informer has trouble', { phase: status.phase, reason: text });
      this.#phase = status.phase;
    }
    this.#notify(this.#onStatus, status);
  }

  /** Clusters may well do without a third-party API. */
  #tellAbsent(): void {
    if (this.#isSilentWhenAbsent) return;
    this.#log.info('This API is not installed, what needs it is off until it is', { group: this.type.group });
  }

  /** An exception in one handler does not affect the other handlers or the informer. */
  #notify<V>(handlers: ReadonlySet<(value: V) => void>, value: V): void {
    for (const handler of handlers) {
      try {
        handler(value);
      } catch (error) {
        this.#log.error('Informer handler failed', error);
      }
    }
  }
}

function subscribe<H>(handlers: Set<H>, handler: H): () => void {
  handlers.add(handler);
  return () => handlers.delete(handler);
}
