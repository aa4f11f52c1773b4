import { type Cluster, startControllers } from '@manta/controllers';
import { createInProcessClient, resourceName, type StoreKey } from '@manta/apiserver';
import { startTestEngine } from '@manta/apiserver/testing';
import { ApiError } from '@manta/kube';

/**
 * The engine's API server with its controllers, in a process of its own: a crash ends this process and not the test. Answers messages of its
 * parent with its state.
 */

/** What the parent asks. */
export type Question = 'clean' | 'state';

/** What the parent is told once the server listens. */
export interface Access {
  readonly url: string;
  readonly ca: string;
  readonly admin: { readonly cert: string; readonly key: string };
  readonly user: { readonly cert: string; readonly key: string };
}

/** What the parent is told of a running engine. */
export interface State {
  /** Bytes that cannot be collected. */
  readonly bytes: number;
  readonly sockets: number;
  readonly answered: number;
  readonly internalErrors: readonly string[];
}

const engine = await startTestEngine({ hasServiceAccounts: false });
const cluster: Cluster = {
  world: engine.api.world,
  store: engine.api.store,
  writes: createInProcessClient(engine.api, {
    userAgent: 'kube-controller-manager',
    toError: (call, status) => new ApiError(call, status?.code ?? 500, status?.message ?? '', status),
  }),
  resources: () => engine.api.registry.all().map(({ info }) => info),
};
startControllers(cluster, { rootCa: engine.ca.cert, without: ['scheduler'] });

let answered = 0;
const forgetRequests = () => {
  answered += engine.requests.length;
  (engine.requests as unknown[]).length = 0;
};
setInterval(forgetRequests, 200).unref();

/** Removes every object and all history. */
function clean(): void {
  const { store, registry } = engine.api;
  const keys = registry.all().flatMap(({ info }) =>
    store.list(resourceName(info)).map(({ metadata }): StoreKey => {
      const { name, namespace = '' } = metadata;
      return { resource: resourceName(info), namespace, name };
    }),
  );
  for (const key of keys) if (store.get(key) !== undefined) store.delete(key);
  store.compact(store.revision);
}

function state(): State {
  forgetRequests();
  for (let i = 0; i < 3; i++) globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return {
    bytes: heapUsed + external,
    sockets: process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length,
    answered,
    internalErrors: engine.internalErrors.map((error) => (error instanceof Error ? `${error.stack}` : String(error))),
  };
}

process.on('message', (question: Question) => {
  if (question === 'clean') clean();
  process.send?.(state());
});
process.on('disconnect', () => process.exit(0));

const { cert, key } = engine.admin;
const user = engine.user({ name: 'nobody-in-particular' });
const access: Access = {
  url: engine.url,
  ca: engine.ca.cert,
  admin: { cert, key },
  user: { cert: user.cert, key: user.key },
};
process.send?.(access);
