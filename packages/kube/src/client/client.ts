import type { KubeObject } from '@manta/api';
import type { ResourceType } from '../resource-type.ts';
import type { Shape } from '../wire/shape.ts';

/**
 * The client's contract: what the rest of the program may ask of an API server. Everything rejects with `ApiError` (the server
 * answered), `TransportError` (it did not, or not in time), or, once `signal` is aborted, with the signal's own reason; as after a
 * `TransportError`, a write may then have been carried out. `createKubeClient` implements it over a transport; the simulation
 * implements it over the embedded store. No method changes the objects it is given, and callers never change the objects they are
 * handed.
 */
export interface KubeClient {
  get<T extends KubeObject>(type: ResourceType<T>, ref: ObjectRef, options?: GetOptions): Promise<T>;
  /** One page of a list; the whole list where no `limit` is given. */
  list<T extends KubeObject>(type: ResourceType<T>, options?: ListOptions): Promise<KubeList<T>>;
  /** A list handed out item by item while it arrives; memory does not grow with its length. `metadata` has its version. */
  listStream<T extends KubeObject>(type: ResourceType<T>, options?: ListOptions): ListStream<T>;
  /** What this and the other writes resolve with may lack `metadata.managedFields`. */
  create<T extends KubeObject>(type: ResourceType<T>, object: T, options?: WriteOptions): Promise<T>;
  update<T extends KubeObject>(type: ResourceType<T>, object: T, options?: WriteOptions): Promise<T>;
  patch<T extends KubeObject>(type: ResourceType<T>, ref: ObjectRef, patch: Patch, options?: WriteOptions): Promise<T>;
  /** Resolves with the object that is being deleted (finalizers, grace period) or with the server's final Status. */
  delete<T extends KubeObject>(type: ResourceType<T>, ref: ObjectRef, options?: DeleteOptions): Promise<T | Status>;
  deleteCollection(type: ResourceType, selection: ListOptions, options?: DeleteOptions): Promise<void>;
  /** Ends without an error when the server closes the watch; rejects with an `ApiError` when the server sends an ERROR event (410 …). */
  watch<T extends KubeObject>(type: ResourceType<T>, options: WatchOptions): AsyncIterable<WatchEvent<T>>;
  /** POSTs to a subresource or review endpoint and returns the decoded answer (bindings, evictions, token requests, access reviews). */
  post<T>(path: string, body: unknown, options?: CallOptions): Promise<T>;
  /** GETs any path as JSON: discovery, /version. */
  getPath<T>(path: string, options?: PathOptions): Promise<T>;
}

/** One object: `namespace` is absent for cluster-scoped kinds only. */
export interface ObjectRef {
  readonly name: string;
  readonly namespace?: string | undefined;
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** Gives up after this long; unary calls default to 30 s, streams to none. */
  readonly timeoutMs?: number | undefined;
  /** Waits for no turn of its own among the requests of this client, as what keeps a lease must not. */
  readonly isUrgent?: boolean | undefined;
  /** One of many for the same object: gives way to requests that are not, for a second at most. */
  readonly isBulk?: boolean | undefined;
  /** A 429 or 503 is handed on at once instead of being retried after its `Retry-After`: for callers with a backoff of their own. */
  readonly retriesItself?: boolean | undefined;
}

/**
 * How much of an object is wanted: all of it; all but `metadata.managedFields`, which may then be missing; or only its metadata
 * (PartialObjectMetadata: nothing else comes over the wire), where they may be missing too.
 */
export type Content = 'full' | 'unmanaged' | 'metadata';

export interface GetOptions extends CallOptions {
  readonly subresource?: string | undefined;
  readonly content?: Content | undefined;
}

export interface PathOptions extends CallOptions {
  /** Media types in order of preference; default JSON. */
  readonly accept?: string | undefined;
}

export interface ListOptions extends CallOptions {
  /** Absent: across all namespaces. */
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  readonly limit?: number | undefined;
  readonly continue?: string | undefined;
  readonly resourceVersion?: string | undefined;
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan' | undefined;
  readonly content?: Content | undefined;
}

export interface WatchOptions extends Omit<ListOptions, 'limit' | 'continue'> {
  /** All that is wanted of each object. Where the server can, it sends protobuf, which is read so far and no further; else all comes. */
  readonly shape?: Shape | undefined;
  readonly allowBookmarks?: boolean | undefined;
  /** WatchList: the server first sends what exists as ADDED events, then a bookmark annotated `k8s.io/initial-events-end`. */
  readonly sendInitialEvents?: boolean | undefined;
  /** Asks the server to close the watch after this long. */
  readonly timeoutSeconds?: number | undefined;
}

export interface WriteOptions extends CallOptions {
  readonly subresource?: 'status' | 'scale' | (string & {}) | undefined;
  readonly dryRun?: boolean | undefined;
  readonly fieldManager?: string | undefined;
  readonly fieldValidation?: 'Ignore' | 'Warn' | 'Strict' | undefined;
  /** All that is wanted of the answer to a create or an update, as of a watch's objects; absent: all of it. */
  readonly shape?: Shape | undefined;
}

export interface DeleteOptions extends CallOptions {
  readonly propagation?: 'Background' | 'Foreground' | 'Orphan' | undefined;
  readonly gracePeriodSeconds?: number | undefined;
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string } | undefined;
  readonly dryRun?: boolean | undefined;
}

export type Patch =
  | { readonly type: 'merge'; readonly body: unknown }
  | { readonly type: 'strategic'; readonly body: unknown }
  | { readonly type: 'json'; readonly body: readonly JsonPatchOperation[] }
  | { readonly type: 'apply'; readonly body: unknown; readonly fieldManager: string; readonly force?: boolean };

export type JsonPatchOperation =
  | { readonly op: 'add' | 'replace' | 'test'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string }
  | { readonly op: 'move' | 'copy'; readonly from: string; readonly path: string };

export interface ListMeta {
  readonly resourceVersion?: string;
  readonly continue?: string;
  readonly remainingItemCount?: number;
}

export interface KubeList<T> {
  readonly metadata: ListMeta;
  readonly items: readonly T[];
}

/** An async iterable of items; `metadata` resolves once the iteration has ended. */
export interface ListStream<T> extends AsyncIterable<T> {
  readonly metadata: Promise<ListMeta>;
}

export type WatchEvent<T> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: T }
  | { readonly type: 'BOOKMARK'; readonly resourceVersion: string; readonly isInitialEventsEnd: boolean };

/** metav1.Status, as the server sends it. */
export interface Status {
  readonly kind: 'Status';
  readonly status?: 'Success' | 'Failure';
  readonly message?: string;
  readonly reason?: string;
  readonly code?: number;
  readonly details?: {
    readonly name?: string;
    readonly group?: string;
    readonly kind?: string;
    readonly uid?: string;
    readonly retryAfterSeconds?: number;
    readonly causes?: readonly StatusCause[];
  };
}

export interface StatusCause {
  readonly reason?: string;
  readonly message?: string;
  readonly field?: string;
}
