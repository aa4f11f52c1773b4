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
  PathOptions,
  ResourceType,
  Status,
  WatchEvent,
  WatchOptions,
  WriteOptions,
} from '@manta/kube';
import { streamOfList } from '@manta/kube';
import type { Verb } from '../../requests/request.ts';
import type { FaultCall } from './call.ts';
import { watchWithFaults } from './faulty-watch.ts';
import type { FaultyLink, FaultyOptions } from './link.ts';
import { sendWithFaults } from './send.ts';
import type { Switchboard } from './switchboard.ts';
import { instantWire } from './wire.ts';

/** A client between whose calls and whose answers anything may happen that the switchboard says. */
export function withFaults(inner: KubeClient, board: Switchboard, options: FaultyOptions): KubeClient {
  return new FaultyClient({ wire: instantWire(options.clock), ...options, board, inner });
}

class FaultyClient implements KubeClient {
  readonly #link: FaultyLink;

  constructor(link: FaultyLink) {
    this.#link = link;
  }

  get<T extends KubeObject>(type: ResourceType<T>, ref: ObjectRef, options?: GetOptions): Promise<T> {
    const call = this.#call('get', type, ref, options?.subresource);
    return sendWithFaults(this.#link, call, options, (server, rest) => server.get(type, ref, { ...options, ...rest }));
  }

  list<T extends KubeObject>(type: ResourceType<T>, options?: ListOptions): Promise<KubeList<T>> {
    const call = this.#call('list', type, { namespace: options?.namespace });
    return sendWithFaults(this.#link, call, options, (server, rest) => server.list(type, { ...options, ...rest }));
  }

  listStream<T extends KubeObject>(type: ResourceType<T>, options?: ListOptions): ListStream<T> {
    return streamOfList(this.list(type, options), options?.signal);
  }

  create<T extends KubeObject>(type: ResourceType<T>, object: T, options?: WriteOptions): Promise<T> {
    const call = this.#call('create', type, object.metadata ?? {}, options?.subresource);
    return sendWithFaults(this.#link, call, options, (server, rest) =>
      server.create(type, object, { ...options, ...rest }),
    );
  }

  update<T extends KubeObject>(type: ResourceType<T>, object: T, options?: WriteOptions): Promise<T> {
    const call = this.#call('update', type, object.metadata ?? {}, options?.subresource);
    return sendWithFaults(this.#link, call, options, (server, rest) =>
      server.update(type, object, { ...options, ...rest }),
    );
  }

  patch<T extends KubeObject>(type: ResourceType<T>, ref: ObjectRef, patch: Patch, options?: WriteOptions): Promise<T> {
    const call = this.#call('patch', type, ref, options?.subresource);
    return sendWithFaults(this.#link, call, options, (server, rest) =>
      server.patch(type, ref, patch, { ...options, ...rest }),
    );
  }

  delete<T extends KubeObject>(type: ResourceType<T>, ref: ObjectRef, options?: DeleteOptions): Promise<T | Status> {
    return sendWithFaults(this.#link, this.#call('delete', type, ref), options, (server, rest) =>
      server.delete(type, ref, { ...options, ...rest }),
    );
  }

  deleteCollection(type: ResourceType, selection: ListOptions, options?: DeleteOptions): Promise<void> {
    const call = this.#call('deletecollection', type, { namespace: selection.namespace });
    return sendWithFaults(this.#link, call, options, (server, rest) =>
      server.deleteCollection(type, selection, { ...options, ...rest }),
    );
  }

  watch<T extends KubeObject>(type: ResourceType<T>, options: WatchOptions): AsyncIterable<WatchEvent<T>> {
    return watchWithFaults(this.#link, this.#call('watch', type, { namespace: options.namespace }), type, options);
  }

  post<T>(path: string, body: unknown, options?: CallOptions): Promise<T> {
    const call = { client: this.#link.client, verb: 'create', resource: path } as const;
    return sendWithFaults(this.#link, call, options, (server, rest) =>
      server.post(path, body, { ...options, ...rest }),
    );
  }

  getPath<T>(path: string, options?: PathOptions): Promise<T> {
    const call = { client: this.#link.client, verb: 'get', resource: path } as const;
    return sendWithFaults(this.#link, call, options, (server, rest) => server.getPath(path, { ...options, ...rest }));
  }

  #call(verb: Verb, type: ResourceType, ref: Partial<ObjectRef>, subresource?: string): FaultCall {
    const { name, namespace } = ref;
    return { client: this.#link.client, verb, resource: type.plural, name, namespace, subresource };
  }
}
