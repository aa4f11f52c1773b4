import type { KubeObject } from '@manta/api';
import type {
  CallOptions,
  DeleteOptions,
  GetOptions,
  KubeClient,
  KubeList,
  ListOptions,
  ListStream,
  ObjectRef,
  Patch,
  ResourceType,
  Status,
  WatchEvent,
  WatchOptions,
  WriteOptions,
} from '@manta/kube';
import { streamOfList } from '@manta/kube';
import { StatusError } from '../status/status-error.ts';
import type { Api } from '../api.ts';
import { ADMIN, type User } from '../auth/user.ts';
import { authorize } from '../auth/authorize.ts';
import { noSuchPath } from '../status/errors.ts';
import { handleDelete } from '../requests/handle-delete.ts';
import { handleRead } from '../requests/handle-read.ts';
import { handleWrite } from '../requests/handle-write.ts';
import { deleteParams, listParams, writeParams } from './in-process-params.ts';
import { metadataOnly } from '../object/metadata-only.ts';
import type { Scope, Verb } from '../requests/request.ts';
import { route } from '../requests/route.ts';
import { failureStatus } from '../status/status.ts';
import { requireSubresourceVerb } from '../requests/subresource-verbs.ts';
import { deleteCollection } from '../verbs/delete-collection.ts';
import { listObjects } from '../verbs/list.ts';
import { openWatch } from './watch-stream.ts';

/** What an in-process client is made of. */
export interface InProcessOptions {
  /** The user of requests; default the administrator. */
  readonly user?: User;
  /** What the client calls itself; its first word names the field manager. */
  readonly userAgent?: string;
  /** Makes the error that a refused call rejects with, so that callers see the class that they know (`ApiError`). */
  readonly toError: (call: { readonly method: string; readonly path: string }, status: Status) => Error;
  /** Called for every Warning that the server would have sent. */
  readonly warn?: (message: string) => void;
}

/**
 * A client without sockets: every call is decided and written at the moment it is made, and its promise settles at once. Objects are
 * the store's own, frozen.
 */
export function createInProcessClient(api: Api, options: InProcessOptions): KubeClient {
  return new InProcessClient(api, options);
}

class InProcessClient implements KubeClient {
  readonly #api: Api;
  readonly #options: InProcessOptions;

  constructor(api: Api, options: InProcessOptions) {
    this.#api = api;
    this.#options = options;
  }

  async get<T extends KubeObject>(type: ResourceType<T>, ref: ObjectRef, options: GetOptions = {}): Promise<T> {
    return await this.#call('get', type, ref, options, (scope) => {
      const object = handleRead(this.#api, scope);
      return asType<T>(options.content === 'metadata' ? metadataOnly(object) : object);
    });
  }

  async list<T extends KubeObject>(type: ResourceType<T>, options: ListOptions = {}): Promise<KubeList<T>> {
    return await this.#call('list', type, { name: '', namespace: options.namespace }, options, (scope) => {
      const { items, ...metadata } = listObjects(this.#api, scope, listParams(options));
      const shown = options.content === 'metadata' ? items.map(metadataOnly) : items;
      return { metadata, items: shown.map((item) => asType<T>(item)) };
    });
  }

  listStream<T extends KubeObject>(type: ResourceType<T>, options: ListOptions = {}): ListStream<T> {
    return streamOfList(this.list(type, options), options.signal);
  }

  async create<T extends KubeObject>(type: ResourceType<T>, object: T, options: WriteOptions = {}): Promise<T> {
    const ref = {
      name: options.subresource === undefined ? '' : (object.metadata?.name ?? ''),
      namespace: object.metadata?.namespace,
    };
    return await this.#call('create', type, ref, options, async (scope) =>
      asType<T>(
        (await handleWrite(this.#api, scope, { verb: 'create', body: typed(scope, object) }, writeParams(options)))
          .object,
      ),
    );
  }

  async update<T extends KubeObject>(type: ResourceType<T>, object: T, options: WriteOptions = {}): Promise<T> {
    const ref = { name: object.metadata?.name ?? '', namespace: object.metadata?.namespace };
    return await this.#call('update', type, ref, options, async (scope) =>
      asType<T>(
        (await handleWrite(this.#api, scope, { verb: 'update', body: typed(scope, object) }, writeParams(options)))
          .object,
      ),
    );
  }

  async patch<T extends KubeObject>(
    type: ResourceType<T>,
    ref: ObjectRef,
    patch: Patch,
    options: WriteOptions = {},
  ): Promise<T> {
    const params = {
      ...writeParams(options),
      ...(patch.type === 'apply' ? { fieldManager: patch.fieldManager, isForced: patch.force === true } : {}),
    };
    const write = { verb: 'patch', type: patch.type, body: patch.body } as const;
    return await this.#call('patch', type, ref, options, async (scope) =>
      asType<T>((await handleWrite(this.#api, scope, write, params)).object),
    );
  }

  async delete<T extends KubeObject>(
    type: ResourceType<T>,
    ref: ObjectRef,
    options: DeleteOptions = {},
  ): Promise<T | Status> {
    return await this.#call('delete', type, ref, options, async (scope) => {
      const { body } = await handleDelete(this.#api, scope, deleteParams(options));
      return asType<T | Status>(body);
    });
  }

  async deleteCollection(type: ResourceType, selection: ListOptions, options: DeleteOptions = {}): Promise<void> {
    const ref = { name: '', namespace: selection.namespace };
    await this.#call('deletecollection', type, ref, options, async (scope) => {
      await deleteCollection(this.#api, scope, listParams(selection), deleteParams(options));
    });
  }

  async *watch<T extends KubeObject>(type: ResourceType<T>, options: WatchOptions): AsyncGenerator<WatchEvent<T>> {
    const ref = { name: '', namespace: options.namespace };
    const stream = await this.#call('watch', type, ref, options, (scope) =>
      openWatch(this.#api, scope, listParams(options), options.signal),
    );
    try {
      for await (const event of stream) {
        if (event.type === 'BOOKMARK') yield event;
        else {
          const object = options.content === 'metadata' ? metadataOnly(event.object) : event.object;
          yield { type: event.type, object: asType<T>(object) };
        }
      }
    } catch (error) {
      throw this.#failure({ method: 'GET', path: pathOf(type, ref) }, error);
    }
  }

  async post<T>(path: string, body: unknown, options: CallOptions = {}): Promise<T> {
    return await this.#raw<T>('POST', path, body, options);
  }

  async getPath<T>(path: string, options: CallOptions = {}): Promise<T> {
    return await this.#raw<T>('GET', path, undefined, options);
  }

  async #raw<T>(method: 'GET' | 'POST', path: string, body: unknown, options: CallOptions): Promise<T> {
    options.signal?.throwIfAborted();
    try {
      const { user = ADMIN, userAgent = 'manta' } = this.#options;
      const answer = await route(this.#api, { method, url: path, body, user, userAgent, warn: this.#warn });
      return asType<T>(answer);
    } catch (error) {
      throw this.#failure({ method, path }, error);
    }
  }

  async #call<R>(
    verb: Verb,
    type: ResourceType,
    ref: ObjectRef,
    options: CallOptions & { readonly subresource?: string | undefined },
    run: (scope: Scope) => R | Promise<R>,
  ): Promise<R> {
    options.signal?.throwIfAborted();
    try {
      const scope = this.#scope(type, ref, options.subresource ?? '');
      authorize(this.#api, scope, verb);
      requireSubresourceVerb(scope, verb);
      return await run(scope);
    } catch (error) {
      throw this.#failure({ method: METHODS[verb], path: pathOf(type, ref, options.subresource) }, error);
    }
  }

  #scope(type: ResourceType, { name, namespace }: ObjectRef, subresource: string): Scope {
    const found = this.#api.registry.find(type.group, type.version, type.plural);
    if (found === undefined) throw noSuchPath();
    const { user = ADMIN, userAgent = 'manta' } = this.#options;
    const place = found.resource.info.isNamespaced ? (namespace ?? '') : '';
    return { ...found, namespace: place, name, subresource, user, userAgent, warn: this.#warn };
  }

  readonly #warn = (message: string): void => this.#options.warn?.(message);

  #failure(call: { readonly method: string; readonly path: string }, error: unknown): unknown {
    return error instanceof StatusError ? this.#options.toError(call, failureStatus(error)) : error;
  }
}

const METHODS: Readonly<Record<Verb, string>> = {
  get: 'GET',
  list: 'GET',
  watch: 'GET',
  create: 'POST',
  update: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
  deletecollection: 'DELETE',
};

/** Objects need not repeat the type that the call names. */
function typed({ version, subresource }: Scope, object: KubeObject): KubeObject {
  if (subresource !== '' && subresource !== 'status') return object;
  return { apiVersion: version.apiVersion, kind: version.resource.kind, ...object };
}

function pathOf(type: ResourceType, { name, namespace }: ObjectRef, subresource?: string): string {
  const root = type.group === '' ? `/api/${type.version}` : `/apis/${type.group}/${type.version}`;
  const scope = type.isNamespaced && namespace !== undefined ? `/namespaces/${namespace}` : '';
  return [`${root}${scope}/${type.plural}`, name, subresource]
    .filter((part) => part !== '' && part !== undefined)
    .join('/');
}

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters
function asType<T>(object: unknown): T {
  // The resource type that the caller names says what its objects look like.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return object as T;
}
