import type { CustomResourceDefinition } from '@manta/api';
import { API_SERVER_LIMITS } from '@manta/base';
import { type CertificateAuthority, type KubeClient, kubeconfigText, openCertificateAuthority } from '@manta/kube';
import type { PodsContext, RunningPods } from '@manta/kubelet';
import {
  type Cluster,
  type ControllerName,
  KUBERNETES_ADDRESS,
  kubernetesService,
  startController,
  startControllers,
} from '@manta/controllers';
import {
  type Api,
  bootstrap,
  createApi,
  createInProcessClient,
  createStore,
  type EngineWorld,
  type InProcessOptions,
  plantDefinitions,
  type PodBackend,
  type PodCall,
  type RunningServer,
  startServer,
  StatusError,
} from '@manta/apiserver';
import { type DataDirectory, openDataDirectory } from './data-directory.ts';
import { codeOf, reasonOf } from './file-error.ts';

/** What an engine is made of. */
export interface EngineOptions {
  readonly world: EngineWorld;
  /** Where it keeps its objects and keys. */
  readonly dataDir: string;
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** 0 is any free port. */
  readonly port: number;
  /** Makes the errors that in-process clients reject with. */
  readonly toError: InProcessOptions['toError'];
  /** Definitions that are there when the API begins to serve; they must be known to be good. One that is stored already stays as it is. */
  readonly definitions?: { readonly objects: readonly CustomResourceDefinition[]; readonly fieldManager: string };
  /** Kubernetes' own controllers to leave out. */
  readonly withoutControllers?: readonly ControllerName[];
  /** Addresses besides its own that clients may know the API server by. */
  readonly furtherAddresses?: readonly string[];
  /** Runs pods, and answers for them; without it they stay pending. */
  readonly pods?: (context: PodsContext) => Promise<RunningPods>;
  /** Called with internal errors, and with failed reconciles of controllers, which are retried. */
  readonly onError?: (where: string, error: unknown) => void;
}

/** An engine that serves. */
export interface Engine {
  readonly api: Api;
  readonly url: string;
  readonly port: number;
  /** PEM: what clients trust the API by. */
  readonly ca: string;
  /** The administrator, without sockets. */
  readonly client: KubeClient;
  /** The names of those definitions that were not there and are now. */
  readonly planted: readonly string[];
  /** A kubeconfig for a user with a new client certificate. */
  kubeconfig(user: { readonly name: string; readonly groups?: readonly string[] }): string;
  /** Ends watches and connections, then closes the data directory. */
  stop(): Promise<void>;
}

/** The port is not to be had; the message says why and what to do. */
export class ListenError extends Error {
  override readonly name = 'ListenError';
}

/** Kubernetes' API with Kubernetes' own controllers in this process, on a loopback port. Resolves when it serves. */
export async function startEngine(options: EngineOptions): Promise<Engine> {
  const { world, toError, definitions = { objects: [], fieldManager: '' } } = options;
  const data = openDataDirectory(options.dataDir);
  const store = createStore({ journal: data.journal, historyLimit: API_SERVER_LIMITS.historyEvents });
  const tokenKeys = { privateKey: data.keys.tokenKey };
  const podBackend = new LateBackend();
  const isRunningPods = options.pods !== undefined;
  const api = createApi({
    store,
    world,
    authorization: 'RBAC',
    tokenKeys,
    hasServiceAccounts: true,
    ...(isRunningPods ? { podBackend } : {}),
  });
  const authority = openCertificateAuthority(data.keys.authority);
  await bootstrap(api);
  const planted = await plantDefinitions(api, definitions.objects, definitions.fieldManager);
  const stopControllers = startOwnControllers(api, data, options);
  const kept = clusterOf(api, options, 'kube-apiserver');
  const stopService = startController(kept, kubernetesService(kept));
  const stop = () => {
    stopService();
    stopControllers();
    api.close();
  };
  let server: RunningServer;
  try {
    server = await listen(api, authority, options);
  } catch (error) {
    stop();
    store.close();
    throw error;
  }
  const running = await options.pods?.({
    cluster: clusterOf(api, options, 'kubelet'),
    accept: (socket) => server.accept(socket),
  });
  podBackend.backend = running?.backend;
  return {
    api,
    url: server.url,
    port: server.port,
    ca: authority.cert,
    planted,
    client: createInProcessClient(api, { userAgent: 'manta', toError }),
    kubeconfig({ name, groups = [] }) {
      const pair = authority.issue({ commonName: name, organizations: groups, usages: ['client'] });
      return kubeconfigText({ url: server.url, ca: authority.cert, user: name, context: 'manta', ...pair });
    },
    async stop() {
      await running?.stop();
      stop();
      await server.close();
      store.close();
    },
  };
}

async function listen(
  api: Api,
  authority: CertificateAuthority,
  { host = '127.0.0.1', port, onError, furtherAddresses = [] }: EngineOptions,
): Promise<RunningServer> {
  const ips = [...new Set(['127.0.0.1', '::1', host, KUBERNETES_ADDRESS, ...furtherAddresses])];
  const dnsNames = ['localhost', 'kubernetes', 'kubernetes.default', 'kubernetes.default.svc'];
  const pair = authority.issue({ commonName: 'manta-engine', dnsNames, ips, usages: ['server'] });
  const onInternalError = (error: unknown) => onError?.('server', error);
  try {
    return await startServer({ api, ...pair, clientCa: authority.cert, host, port, onInternalError });
  } catch (error) {
    const why = codeOf(error) === 'EADDRINUSE' ? 'something else listens there' : reasonOf(error);
    const advice = 'choose another with --port (0 is any free one)';
    throw new ListenError(`cannot serve on ${host}:${port}: ${why}; ${advice}`, { cause: error });
  }
}

function startOwnControllers(api: Api, data: DataDirectory, options: EngineOptions): () => void {
  const cluster = clusterOf(api, options, 'kube-controller-manager');
  return startControllers(cluster, { rootCa: data.keys.authority.cert, without: options.withoutControllers ?? [] });
}

function clusterOf(api: Api, { world, toError, onError }: EngineOptions, userAgent: string): Cluster {
  return {
    world,
    store: api.store,
    writes: createInProcessClient(api, { userAgent, toError }),
    resources: () => api.registry.all().map(({ info }) => info),
    onError: (controller: string, key: string, error: unknown) => onError?.(`${controller} ${key}`, error),
  };
}

/** The API is there before the pods are. */
class LateBackend implements PodBackend {
  backend: PodBackend | undefined;

  async handle(call: PodCall): Promise<void> {
    if (this.backend === undefined)
      throw new StatusError(503, 'ServiceUnavailable', 'the engine is starting; try again');
    await this.backend.handle(call);
  }
}
