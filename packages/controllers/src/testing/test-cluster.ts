/* oxlint-disable typescript/no-unsafe-type-assertion -- tests name the kinds that they put in */
import type { KubeObject, Namespace } from '@manta/api';
import { ApiError, type KubeClient, type ResourceType } from '@manta/kube';
import { FakeClock, seededRandom } from '@manta/runtime/testing';
import { createApi, createInProcessClient, createStore, type StoreEvent } from '@manta/apiserver';
import { type Cluster, nameOf, readAll, type Stored } from '../framework/cluster.ts';
import { type Controller, startController } from '../framework/controller.ts';
import { type CoreEvent, events, namespaces, nodes } from '../framework/kinds.ts';

/** A whole API in memory with the asked-for controllers on it, on a clock that the test moves. */
export interface TestCluster {
  readonly clock: FakeClock;
  readonly client: KubeClient;
  readonly cluster: Cluster;
  /** Errors that controllers met on their way. */
  readonly errors: readonly unknown[];
  start(...controllers: readonly ((cluster: Cluster) => Controller)[]): () => void;
  create<T extends KubeObject>(type: ResourceType<T>, name: string, object?: Partial<T>): Promise<Stored<T>>;
  /** The object as it is now; fails where it is not there. */
  get<T extends KubeObject>(type: ResourceType<T>, name: string, namespace?: string): Stored<T>;
  find<T extends KubeObject>(type: ResourceType<T>, name: string, namespace?: string): Stored<T> | undefined;
  all<T extends KubeObject>(type: ResourceType<T>, namespace?: string): readonly Stored<T>[];
  names(type: ResourceType, namespace?: string): readonly string[];
  /** Every state that objects of a kind went through, oldest first. */
  history<T extends KubeObject>(type: ResourceType<T>, name?: string): readonly Stored<T>[];
  /** Emitted events as `type reason: message`, oldest first. */
  said(): readonly string[];
  setStatus<T extends KubeObject>(
    type: ResourceType<T>,
    name: string,
    status: object,
    namespace?: string,
  ): Promise<void>;
  /** Lets the controllers do all that needs no time to pass. */
  settle(): Promise<void>;
  advance(seconds: number): Promise<void>;
}

/** The default namespace of objects. */
export const SPACE = 'default';

const toError = (call: { method: string; path: string }, status: { code?: number; message?: string }) =>
  new ApiError(call, status.code ?? 500, status.message ?? '', { kind: 'Status', ...status });

export async function startTestCluster(): Promise<TestCluster> {
  const clock = new FakeClock();
  const random = seededRandom(1);
  let uids = 0;
  const world = { clock, random, newUid: () => `00000000-0000-0000-0000-${String(++uids).padStart(12, '0')}` };
  const store = createStore();
  const api = createApi({ store, world });
  const client = createInProcessClient(api, { userAgent: 'tester/1', toError });
  const writes = createInProcessClient(api, { userAgent: 'kube-controller-manager/v1.36', toError });
  const seen: StoreEvent[] = [];
  store.watch(store.revision, (event) => seen.push(event));
  const errors: unknown[] = [];
  const cluster: Cluster = {
    world,
    store,
    writes,
    resources: () => api.registry.all().map(({ info }) => info),
    onError: (_controller, _key, error) => errors.push(error),
  };
  const space = (type: ResourceType, namespace = SPACE) => (type.isNamespaced ? namespace : '');
  const test: TestCluster = {
    clock,
    client,
    cluster,
    errors,
    start(...controllers) {
      const stops = controllers.map((make) => startController(cluster, make(cluster)));
      return () => {
        for (const stop of stops) stop();
      };
    },
    async create(type, name, object) {
      const where = type.isNamespaced ? { namespace: SPACE } : {};
      const apiVersion = type.group === '' ? type.version : `${type.group}/${type.version}`;
      const given = object ?? {};
      const metadata = { name, ...where, ...(given as KubeObject).metadata };
      return (await client.create(type, { apiVersion, kind: type.kind, ...given, metadata } as never)) as never;
    },
    get(type, name, namespace) {
      const object = test.find(type, name, namespace);
      if (object === undefined) throw new Error(`there is no ${type.kind} ${name}`);
      return object;
    },
    find: (type, name, namespace) =>
      store.get({ resource: nameOf(type), namespace: space(type, namespace), name }) as never,
    all: (type, namespace) => readAll(store, type, namespace ?? (type.isNamespaced ? SPACE : undefined)),
    names: (type, namespace) => test.all(type, namespace).map(({ metadata }) => metadata.name),
    history: (type, name) =>
      seen
        .filter(
          ({ key, type: verb }) =>
            key.resource === nameOf(type) && (name ?? key.name) === key.name && verb !== 'DELETED',
        )
        .map(({ object }) => object as never),
    said: () => sayings(seen),
    async setStatus(type, name, status, namespace) {
      const ref = type.isNamespaced ? { name, namespace: namespace ?? SPACE } : { name };
      await client.patch(type, ref, { type: 'merge', body: { status } }, { subresource: 'status' });
      await test.settle();
    },
    settle: () => clock.advance(0),
    advance: (seconds) => clock.advance(seconds * 1000),
  };
  await test.create<Namespace>(namespaces, SPACE);
  await test.create(nodes, 'node-1');
  return test;
}

function sayings(seen: readonly StoreEvent[]): readonly string[] {
  return seen
    .filter(({ key, type }) => key.resource === nameOf(events) && type === 'ADDED')
    .map(({ object }) => object as unknown as CoreEvent)
    .map(({ type, reason, message }) => `${type} ${reason}: ${message}`);
}
