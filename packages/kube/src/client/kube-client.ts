import type { KubeObject } from '@manta/api';
import { type Ask, Caller, type CallerOptions } from './caller.ts';
import { ListItems } from './list-stream.ts';
import {
  ACCEPT_JSON,
  ACCEPT_PROTOBUF,
  acceptList,
  acceptObject,
  isProtobuf,
  SEND_FOR_PROTOBUF,
  SEND_JSON,
  SEND_PATCH,
} from './media-types.ts';
import { objectPath } from './object-path.ts';
import { listQuery, watchQuery, writeQuery } from './query.ts';
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
  PathOptions,
  Status,
  WatchEvent,
  WatchOptions,
  WriteOptions,
} from './client.ts';
import { apiVersionOf, pathOf, type ResourceType } from '../resource-type.ts';
import { parserFor } from '../bytes/unmanaged.ts';
import { eventsInFrames, eventsInLines } from './watch.ts';

export type { ServerWarning } from './caller.ts';
export type KubeClientOptions = CallerOptions;

/** The client over a transport; see `KubeClient` for what each method promises. */
export function createKubeClient(options: KubeClientOptions): KubeClient {
  return new TransportKubeClient(new Caller(options));
}

class TransportKubeClient implements KubeClient {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  async get<T extends KubeObject>(type: ResourceType<T>, ref: ObjectRef, options: GetOptions = {}): Promise<T> {
    const path = objectPath(type, ref, options.subresource);
    return await this.#caller.unary<T>(ask('GET', path, type, acceptObject(options.content)), options);
  }

  async list<T extends KubeObject>(type: ResourceType<T>, options: ListOptions = {}): Promise<KubeList<T>> {
    const path = `${pathOf(type, options.namespace)}${listQuery(options)}`;
    const list = await this.#caller.unary<Partial<KubeList<T>>>(
      ask('GET', path, type, acceptList(options.content)),
      options,
    );
    return { metadata: list.metadata ?? {}, items: list.items ?? [] };
  }

  listStream<T extends KubeObject>(type: ResourceType<T>, options: ListOptions = {}): ListStream<T> {
    const path = `${pathOf(type, options.namespace)}${listQuery(options)}`;
    const request = ask('GET', path, type, acceptList(options.content));
    return new ListItems<T>(request, parserFor(options.content), () => this.#caller.stream(request, options));
  }

  async create<T extends KubeObject>(type: ResourceType<T>, object: T, options: WriteOptions = {}): Promise<T> {
    const { name, namespace } = object.metadata ?? {};
    const path =
      options.subresource === undefined
        ? pathOf(type, namespace)
        : objectPath(type, { name: name ?? '', namespace }, options.subresource);
    return await this.#write<T>('POST', `${path}${writeQuery(options)}`, type, object, options);
  }

  async update<T extends KubeObject>(type: ResourceType<T>, object: T, options: WriteOptions = {}): Promise<T> {
    const { name = '', namespace } = object.metadata ?? {};
    const path = objectPath(type, { name, namespace }, options.subresource);
    return await this.#write<T>('PUT', `${path}${writeQuery(options)}`, type, object, options);
  }

  async patch<T extends KubeObject>(
    type: ResourceType<T>,
    ref: ObjectRef,
    patch: Patch,
    options: WriteOptions = {},
  ): Promise<T> {
    const isApply = patch.type === 'apply';
    const query = isApply
      ? writeQuery({ ...options, fieldManager: patch.fieldManager }, patch.force)
      : writeQuery(options);
    const path = `${objectPath(type, ref, options.subresource)}${query}`;
    const body = JSON.stringify(isApply ? withType(type, patch.body) : patch.body);
    return await this.#caller.unary<T>(ask('PATCH', path, type, SEND_PATCH[patch.type], body), options);
  }

  async delete<T extends KubeObject>(
    type: ResourceType<T>,
    ref: ObjectRef,
    options: DeleteOptions = {},
  ): Promise<T | Status> {
    return await this.#caller.unary<T | Status>(deletion(type, objectPath(type, ref), options), options);
  }

  async deleteCollection(type: ResourceType, selection: ListOptions, options: DeleteOptions = {}): Promise<void> {
    const path = `${pathOf(type, selection.namespace)}${listQuery(selection)}`;
    await this.#caller.unary<unknown>(deletion(type, path, options), { ...selection, ...options });
  }

  async *watch<T extends KubeObject>(
    type: ResourceType<T>,
    options: WatchOptions,
  ): AsyncGenerator<WatchEvent<T>, void, undefined> {
    const path = `${pathOf(type, options.namespace)}${watchQuery(options)}`;
    const { content, shape } = options;
    const request = ask('GET', path, type, shape === undefined ? acceptObject(content) : ACCEPT_PROTOBUF);
    const { body, headers } = await this.#caller.stream(request, options);
    if (shape !== undefined && isProtobuf(headers)) yield* eventsInFrames<T>(body, request, shape);
    else yield* eventsInLines<T>(body, request, content);
  }

  async post<T>(path: string, body: unknown, options: CallOptions = {}): Promise<T> {
    return await this.#caller.unary<T>(
      { method: 'POST', path, headers: SEND_JSON, body: JSON.stringify(body), bucket: '' },
      options,
    );
  }

  async getPath<T>(path: string, options: PathOptions = {}): Promise<T> {
    const headers = options.accept === undefined ? ACCEPT_JSON : { accept: options.accept };
    return await this.#caller.unary<T>({ method: 'GET', path, headers, bucket: '' }, options);
  }

  async #write<T extends KubeObject>(
    method: 'POST' | 'PUT',
    path: string,
    type: ResourceType<T>,
    object: T,
    options: WriteOptions,
  ): Promise<T> {
    // A subresource's object is of another kind (a Binding, an Eviction), which only the caller knows.
    const body =
      options.subresource === undefined || options.subresource === 'status' ? withType(type, object) : object;
    const { shape } = options;
    const request = ask(method, path, type, shape === undefined ? SEND_JSON : SEND_FOR_PROTOBUF, JSON.stringify(body));
    return await this.#caller.unary<T>({ ...request, shape }, options);
  }
}

function ask(
  method: Ask['method'],
  path: string,
  type: ResourceType,
  headers: Ask['headers'],
  body?: string,
): Ask & { body?: string } {
  const bucket = `${type.group}/${type.plural}`;
  return body === undefined ? { method, path, headers, bucket } : { method, path, headers, bucket, body };
}

function deletion(type: ResourceType, path: string, options: DeleteOptions): Ask {
  const { propagation, gracePeriodSeconds, preconditions, dryRun } = options;
  if (propagation === undefined && gracePeriodSeconds === undefined && preconditions === undefined && dryRun !== true) {
    return ask('DELETE', path, type, ACCEPT_JSON);
  }
  const body = {
    kind: 'DeleteOptions',
    apiVersion: 'v1',
    propagationPolicy: propagation,
    gracePeriodSeconds,
    preconditions,
    dryRun: dryRun === true ? ['All'] : undefined,
  };
  return ask('DELETE', path, type, SEND_JSON, JSON.stringify(body));
}

/** The server wants every object to say what it is; callers may leave it to us. */
function withType(type: ResourceType, object: unknown): unknown {
  if (typeof object !== 'object' || object === null || ('kind' in object && 'apiVersion' in object)) return object;
  return { apiVersion: apiVersionOf(type), kind: type.kind, ...object };
}
