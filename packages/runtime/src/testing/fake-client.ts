import type { KubeObject } from '@manta/api';
import {
  ApiError,
  applyMergePatch,
  type CallOptions,
  type Clock,
  type Content,
  type DeleteOptions,
  type KubeClient,
  type KubeList,
  type ListMeta,
  type ListOptions,
  type ListStream,
  type ObjectRef,
  type Patch,
  pathOf,
  type ResourceType,
  type Status,
  streamOfList,
  systemClock,
  type WatchEvent,
  type WatchOptions,
  type WriteOptions,
} from '@manta/kube';
import { keyOf, toKey } from '../object-key.ts';
import { FakeStorage, resourceId, type Written } from './fake-storage.ts';
import { FakeWatch, type WatchCut } from './fake-watch.ts';
import { jsonPatch } from './json-patch.ts';
import { matchesFields, matchesLabels } from './selectors.ts';

/** One call that the fake was asked for. */
export interface FakeRequest {
  readonly verb: 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'post';
  readonly path: string;
  readonly options: ListOptions & WatchOptions;
}

/** Ways to make the fake misbehave; all may be changed at any time. */
export interface FakeFaults {
  /** Called before each request: throw to refuse it. */
  onRequest?: ((request: FakeRequest) => void) | undefined;
  /** Called before each watch event is handed over. */
  onWatchEvent?: ((event: WatchEvent<KubeObject>) => WatchCut) | undefined;
}

export interface FakeClientOptions {
  readonly clock?: Clock;
  /** How many writes are remembered before watches from older versions get 410. */
  readonly historyLimit?: number;
  /** False: refuses `sendInitialEvents` with 422, as Kubernetes 1.33 does. */
  readonly supportsWatchList?: boolean;
}

/**
 * An API server in memory: resourceVersions, watch history with bookmarks and 410, selectors, optimistic locking, finalizers,
 * generations. Everything it hands out is frozen, so code that changes what it was given fails loudly.
 */
export class FakeClient implements KubeClient {
  readonly faults: FakeFaults = {};
  readonly requests: FakeRequest[] = [];
  readonly storage: FakeStorage;
  readonly #clock: Clock;
  readonly #supportsWatchList: boolean;
  readonly #watches = new Set<{ readonly watch: FakeWatch; readonly resource: string }>();
  readonly #forbidden = new Set<string>();
  readonly #absent = new Set<string>();
  #uids = 0;

  constructor(options: FakeClientOptions = {}) {
    this.#clock = options.clock ?? systemClock;
    this.#supportsWatchList = options.supportsWatchList ?? true;
    this.storage = new FakeStorage(options.historyLimit ?? 1000);
  }

  /** Answers everything about this kind with 403 until {@link allow}; like RBAC, it leaves running watches alone. */
  forbid(type: ResourceType, namespace = '*'): void {
    this.#forbidden.add(`${resourceId(type)} ${namespace}`);
  }

  allow(type: ResourceType, namespace = '*'): void {
    this.#forbidden.delete(`${resourceId(type)} ${namespace}`);
  }

  /** Behaves as if the kind's CRD were not installed: its objects do not exist, its watches end, requests get 404. */
  unserve(type: ResourceType): void {
    for (const object of this.storage.all(type)) this.storage.remove(type, keyOf(object));
    this.#absent.add(resourceId(type));
    for (const { watch, resource } of this.#watches) if (resource === resourceId(type)) watch.end();
  }

  serve(type: ResourceType): void {
    this.#absent.delete(resourceId(type));
  }

  /** Ends all running watches: in good order, or with an error. */
  cutWatches(error?: Error): void {
    for (const { watch } of this.#watches) watch.end(error);
  }

  /** How many watches are running. */
  get openWatches(): number {
    return this.#watches.size;
  }

  /** Sends a bookmark to all running watches. */
  sendBookmarks(): void {
    const resourceVersion = String(this.storage.version);
    for (const { watch } of this.#watches) {
      watch.push({ type: 'BOOKMARK', resourceVersion, isInitialEventsEnd: false });
    }
  }

  async get<T extends KubeObject>(type: ResourceType<T>, ref: ObjectRef, options: ListOptions = {}): Promise<T> {
    this.#admit('get', type, ref.namespace, options, ref.name);
    return view<T>(this.#find(type, ref), options.content);
  }

  async list<T extends KubeObject>(type: ResourceType<T>, options: ListOptions = {}): Promise<KubeList<T>> {
    this.#admit('list', type, options.namespace, options);
    this.#checkVersion(type, options.resourceVersion);
    const all = this.#select(type, options);
    const rest =
      options.continue === undefined ? all : all.filter((object) => keyOf(object) > (options.continue ?? ''));
    const items = rest.slice(0, options.limit ?? rest.length);
    const last = items.at(-1);
    const metadata: ListMeta = {
      resourceVersion: String(this.storage.version),
      ...(items.length < rest.length && last !== undefined ? { continue: keyOf(last) } : {}),
    };
    return { metadata, items: items.map((object) => view<T>(object, options.content)) };
  }

  listStream<T extends KubeObject>(type: ResourceType<T>, options: ListOptions = {}): ListStream<T> {
    return streamOfList(this.list(type, options), options.signal);
  }

  async create<T extends KubeObject>(type: ResourceType<T>, object: T, options: WriteOptions = {}): Promise<T> {
    const { namespace, generateName } = object.metadata ?? {};
    const name = object.metadata?.name ?? `${generateName ?? ''}${this.#nextId().slice(-5)}`;
    this.#admit('create', type, namespace, options, name);
    if (this.storage.get(type, toKey(namespace, name)) !== undefined) {
      throw refusal('POST', pathOf(type, namespace), 409, 'AlreadyExists', `${type.plural} "${name}" already exists`);
    }
    const { resourceVersion: _, ...metadata } = structuredClone(object.metadata ?? {});
    const created = {
      ...structuredClone(object),
      apiVersion: type.group === '' ? type.version : `${type.group}/${type.version}`,
      kind: type.kind,
      metadata: {
        ...metadata,
        name,
        uid: this.#nextId(),
        generation: 1,
        creationTimestamp: this.#timestamp(),
      },
    };
    return view<T>(options.dryRun === true ? created : this.storage.put(type, created));
  }

  async update<T extends KubeObject>(type: ResourceType<T>, object: T, options: WriteOptions = {}): Promise<T> {
    const ref = { name: object.metadata?.name ?? '', namespace: object.metadata?.namespace };
    this.#admit('update', type, ref.namespace, options, ref.name);
    return view<T>(this.#write(type, this.#find(type, ref), structuredClone(object), options));
  }

  async patch<T extends KubeObject>(
    type: ResourceType<T>,
    ref: ObjectRef,
    patch: Patch,
    options: WriteOptions = {},
  ): Promise<T> {
    this.#admit('patch', type, ref.namespace, options, ref.name);
    const path = pathOf(type, ref.namespace, ref.name);
    if (patch.type === 'strategic') {
      throw refusal('PATCH', path, 415, 'UnsupportedMediaType', 'the fake API server knows no strategic merge patch');
    }
    if (patch.type === 'apply' && this.storage.get(type, toKey(ref.namespace, ref.name)) === undefined) {
      return this.create(type, typed<T>(withName(patch.body, ref)), options);
    }
    const before = this.#find(type, ref);
    const after = patch.type === 'json' ? jsonPatch(before, patch.body) : applyMergePatch(before, patch.body);
    if (after === undefined) throw refusal('PATCH', path, 422, 'Invalid', 'the patch does not apply');
    return view<T>(this.#write(type, before, typed<KubeObject>(structuredClone(after)), options));
  }

  async delete<T extends KubeObject>(
    type: ResourceType<T>,
    ref: ObjectRef,
    options: DeleteOptions = {},
  ): Promise<T | Status> {
    this.#admit('delete', type, ref.namespace, options, ref.name);
    const before = this.#find(type, ref);
    const { uid, resourceVersion } = options.preconditions ?? {};
    const isOther = uid !== undefined && uid !== before.metadata?.uid;
    if (isOther || (resourceVersion !== undefined && resourceVersion !== before.metadata?.resourceVersion)) {
      throw refusal('DELETE', pathOf(type, ref.namespace, ref.name), 409, 'Conflict', 'precondition failed');
    }
    if ((before.metadata?.finalizers ?? []).length === 0) {
      this.storage.remove(type, keyOf(before));
      return { kind: 'Status', status: 'Success' };
    }
    if (before.metadata?.deletionTimestamp !== undefined) return view<T>(before);
    const metadata = { ...before.metadata, deletionTimestamp: this.#timestamp() };
    return view<T>(this.storage.put(type, { ...before, metadata }));
  }

  async deleteCollection(type: ResourceType, selection: ListOptions, options?: DeleteOptions): Promise<void> {
    for (const object of this.#select(type, selection)) {
      const { name = '', namespace } = object.metadata ?? {};
      await this.delete(type, { name, namespace }, options);
    }
  }

  async *watch<T extends KubeObject>(type: ResourceType<T>, options: WatchOptions): AsyncGenerator<WatchEvent<T>> {
    this.#admit('watch', type, options.namespace, options);
    const path = pathOf(type, options.namespace);
    if (options.sendInitialEvents === true && !this.#supportsWatchList) {
      throw refusal('GET', path, 422, 'Invalid', 'sendInitialEvents: Forbidden: the server does not offer it');
    }
    this.#checkVersion(type, options.sendInitialEvents === true ? options.resourceVersion : undefined);
    const undo: (() => void)[] = [];
    const watch = new FakeWatch(
      (event) => this.faults.onWatchEvent?.(event),
      () => undo.forEach((run) => run()),
    );
    const member = { watch, resource: resourceId(type) };
    this.#watches.add(member);
    const onAbort = () => watch.end(options.signal?.reason);
    options.signal?.addEventListener('abort', onAbort, { once: true });
    undo.push(
      () => this.#watches.delete(member),
      () => options.signal?.removeEventListener('abort', onAbort),
      this.#feed(watch, type, options),
    );
    if (options.timeoutSeconds !== undefined) {
      undo.push(this.#clock.setTimer(options.timeoutSeconds * 1000, () => watch.end()));
    }
    yield* typed<AsyncIterable<WatchEvent<T>>>(watch);
  }

  async post<T>(path: string, _body: unknown, _options?: CallOptions): Promise<T> {
    this.requests.push({ verb: 'post', path, options: {} });
    throw refusal('POST', path, 404, 'NotFound', 'the fake API server does not serve this path');
  }

  async getPath<T>(path: string, _options?: CallOptions): Promise<T> {
    this.requests.push({ verb: 'get', path, options: {} });
    throw refusal('GET', path, 404, 'NotFound', 'the fake API server does not serve this path');
  }

  /** Sends what lies before now, then what happens; returns how to stop it. */
  #feed(watch: FakeWatch, type: ResourceType, options: WatchOptions): () => void {
    const isInitial = options.sendInitialEvents === true || options.resourceVersion === undefined;
    const from = Number(isInitial ? this.storage.version : options.resourceVersion);
    const past = this.storage.since(from);
    if (past === undefined) {
      watch.end(refusal('GET', pathOf(type, options.namespace), 410, 'Expired', 'too old resource version'));
      return () => undefined;
    }
    if (isInitial) {
      for (const object of this.#select(type, options))
        watch.push({ type: 'ADDED', object: view(object, options.content) });
    }
    if (options.sendInitialEvents === true) {
      watch.push({ type: 'BOOKMARK', resourceVersion: String(this.storage.version), isInitialEventsEnd: true });
    }
    const tell = (written: Written) => {
      const event = written.resource === resourceId(type) ? eventFor(written, options) : undefined;
      if (event !== undefined) watch.push(event);
    };
    past.forEach(tell);
    return this.storage.onWrite(tell);
  }

  #write(type: ResourceType, before: KubeObject, wanted: KubeObject, options: WriteOptions): KubeObject {
    const { metadata = {} } = before;
    if (
      wanted.metadata?.resourceVersion !== undefined &&
      wanted.metadata.resourceVersion !== metadata.resourceVersion
    ) {
      const path = pathOf(type, metadata.namespace, metadata.name);
      throw refusal('PUT', path, 409, 'Conflict', `${type.plural} "${metadata.name}": the object has been modified`);
    }
    const merged =
      options.subresource === 'status'
        ? { ...before, status: Reflect.get(wanted, 'status') }
        : { ...before, ...wanted };
    const isNewSpec = JSON.stringify(Reflect.get(merged, 'spec')) !== JSON.stringify(Reflect.get(before, 'spec'));
    const { resourceVersion, uid, creationTimestamp, deletionTimestamp, generation = 1 } = metadata;
    const after = {
      ...merged,
      metadata: {
        ...merged.metadata,
        ...(resourceVersion === undefined ? {} : { resourceVersion }),
        ...(uid === undefined ? {} : { uid }),
        ...(creationTimestamp === undefined ? {} : { creationTimestamp }),
        ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
        generation: isNewSpec ? generation + 1 : generation,
      },
    };
    if (options.dryRun === true || JSON.stringify(sorted(after)) === JSON.stringify(sorted(before))) return after;
    const isLastFinalizerGone = deletionTimestamp !== undefined && (after.metadata.finalizers ?? []).length === 0;
    if (!isLastFinalizerGone) return this.storage.put(type, after);
    const version = this.storage.remove(type, keyOf(after))?.metadata?.resourceVersion;
    return {
      ...after,
      metadata: { ...after.metadata, ...(version === undefined ? {} : { resourceVersion: version }) },
    };
  }

  #find(type: ResourceType, ref: ObjectRef): KubeObject {
    const object = this.storage.get(type, toKey(ref.namespace, ref.name));
    if (object !== undefined) return object;
    throw refusal(
      'GET',
      pathOf(type, ref.namespace, ref.name),
      404,
      'NotFound',
      `${type.plural} "${ref.name}" not found`,
    );
  }

  #select(type: ResourceType, options: ListOptions): readonly KubeObject[] {
    return this.storage.all(type).filter((object) => isSelected(object, options));
  }

  #admit(
    verb: FakeRequest['verb'],
    type: ResourceType,
    namespace: string | undefined,
    options: CallOptions,
    name?: string,
  ) {
    const path = pathOf(type, namespace, name);
    const request = { verb, path, options };
    this.requests.push(request);
    options.signal?.throwIfAborted();
    this.faults.onRequest?.(request);
    const id = resourceId(type);
    if (this.#absent.has(id))
      throw refusal('GET', path, 404, 'NotFound', 'the server could not find the requested resource');
    if (this.#forbidden.has(`${id} *`) || this.#forbidden.has(`${id} ${namespace}`)) {
      throw refusal('GET', path, 403, 'Forbidden', `${type.plural} is forbidden: cannot ${verb} ${type.plural}`);
    }
  }

  #checkVersion(type: ResourceType, atLeast: string | undefined): void {
    if (atLeast === undefined || Number(atLeast) <= this.storage.version) return;
    throw refusal(
      'GET',
      pathOf(type),
      504,
      'Timeout',
      `Too large resource version: ${atLeast}`,
      'ResourceVersionTooLarge',
    );
  }

  #nextId(): string {
    this.#uids += 1;
    return `00000000-0000-4000-8000-${String(this.#uids).padStart(12, '0')}`;
  }

  #timestamp(): string {
    return `${new Date(this.#clock.now()).toISOString().slice(0, 19)}Z`;
  }
}

/** The event that a watch with this selector gets for a write: DELETED if the object leaves the selection, ADDED if it enters. */
function eventFor(written: Written, options: WatchOptions): WatchEvent<KubeObject> | undefined {
  const wasSelected = written.before !== undefined && isSelected(written.before, options);
  const isNow = !written.isRemoval && isSelected(written.object, options);
  const object = view(written.object, options.content);
  if (isNow) return { type: wasSelected ? 'MODIFIED' : 'ADDED', object };
  return wasSelected ? { type: 'DELETED', object } : undefined;
}

function isSelected(object: KubeObject, { namespace, labelSelector, fieldSelector }: ListOptions): boolean {
  const isInNamespace = namespace === undefined || object.metadata?.namespace === namespace;
  return isInNamespace && matchesLabels(object, labelSelector) && matchesFields(object, fieldSelector);
}

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters
function view<T extends KubeObject>(object: KubeObject, content?: Content): T {
  if (content !== 'metadata') return typed<T>(object);
  const partial: KubeObject = {
    apiVersion: 'meta.k8s.io/v1',
    kind: 'PartialObjectMetadata',
    ...(object.metadata === undefined ? {} : { metadata: object.metadata }),
  };
  return typed<T>(partial);
}

function withName(body: unknown, { name, namespace }: ObjectRef): unknown {
  return applyMergePatch(body, { metadata: { name, ...(namespace === undefined ? {} : { namespace }) } });
}

/** The fake stores what it was given under the type it was given for, so the caller's type is the object's. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters
function typed<T>(value: unknown): T {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return value as T;
}

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  const entries = Object.entries(value).filter(([, part]) => part !== undefined);
  const byName = entries.toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(byName.map(([name, part]) => [name, sorted(part)]));
}

function refusal(
  method: string,
  path: string,
  code: number,
  reason: string,
  message: string,
  cause?: string,
): ApiError {
  const details = cause === undefined ? {} : { details: { causes: [{ reason: cause }] } };
  return new ApiError({ method, path }, code, message, {
    kind: 'Status',
    status: 'Failure',
    code,
    reason,
    message,
    ...details,
  });
}
