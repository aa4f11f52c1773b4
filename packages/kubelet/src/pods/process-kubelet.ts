import { mkdirSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import type { Pod, Secret } from '@manta/api';
import { guard } from '@manta/base';
import type { ResourceType } from '@manta/kube';
import {
  type Cluster,
  joinKey,
  nameOf,
  readAll,
  readOne,
  type Stored,
  splitKey,
  type Controller,
  type Enqueue,
  type StopController,
  startController,
  createEventRecorder,
  configMaps,
  endpointSlices,
  pods,
  services,
  isNotFound,
} from '@manta/controllers';
import { hasPodEnded, deepEqual } from '@manta/apiserver';
import type { Cgroups } from '../limits/cgroups.ts';
import { serviceRoutes } from '../network/service-routes.ts';
import type { SandboxDriver } from '../sandbox/sandbox.ts';
import { claimBinder } from '../volumes/claim-binder.ts';
import { ClaimFolders } from '../volumes/claim-folders.ts';
import { hostsText } from '../environment/hosts.ts';
import type { ImageTable } from '../environment/images.ts';
import { TOKEN_SECONDS } from '../volumes/kept-tokens.ts';
import { type NodeServices, PodWorker } from './pod-worker.ts';
import { removeFolder } from '../volumes/remove-folder.ts';
import { serviceLinks } from '../environment/service-links.ts';
import { Turns } from './turns.ts';

/** What a kubelet runs pods with. */
export interface ProcessKubeletOptions {
  readonly nodeName: string;
  readonly driver: SandboxDriver;
  readonly images: ImageTable;
  /** For pods' files and claims' data. */
  readonly dataDir: string;
  readonly capacity: Readonly<Record<string, string>>;
  /** Where containers can be held to their limits. */
  readonly cgroups?: Cgroups | undefined;
  /** Variables for every container. */
  readonly env?: Readonly<Record<string, string>>;
}

/** A kubelet that runs pods as processes of this machine. */
export interface ProcessKubelet {
  /** The pod that runs under this name, or undefined. */
  worker(namespace: string, name: string): PodWorker | undefined;
  /** Ends every pod's processes; their objects stay, and run again when the engine does. */
  stop(): Promise<void>;
}

const secrets: ResourceType<Secret> = {
  group: '',
  version: 'v1',
  plural: 'secrets',
  kind: 'Secret',
  isNamespaced: true,
};
const REFRESH_MS = 30_000;
const HOST_IP = '127.0.0.1';

/** Runs the pods of a node until it is stopped. What an earlier engine left behind is swept away first. */
export function startProcessKubelet(cluster: Cluster, options: ProcessKubeletOptions): ProcessKubelet {
  const folder = join(options.dataDir, 'pods');
  removeFolder(folder);
  // Secrets are among the files of pods.
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const kubelet = new Kubelet(cluster, options, folder);
  const stop = startController(cluster, kubelet);
  const stopNames = startController(cluster, kubelet.names);
  const stopClaims = startController(
    cluster,
    claimBinder(cluster, () => kubelet.sweepClaims()),
  );
  kubelet.sweepClaims();
  const timer = setInterval(
    guard('kubelet', undefined, () => kubelet.refresh()),
    REFRESH_MS,
  );
  timer.unref();
  return {
    worker: (namespace, name) => kubelet.workers.get(joinKey(namespace, name)),
    async stop() {
      clearInterval(timer);
      stopNames();
      stopClaims();
      await kubelet.close(stop);
    },
  };
}

class Kubelet implements Controller {
  readonly name = 'kubelet';
  readonly watches = [nameOf(pods)];
  readonly workers = new Map<string, PodWorker>();
  /** Follows Services and their endpoints: the pods' host names and what leads to the Services are brought up to date. */
  readonly names: Controller;
  readonly #cluster: Cluster;
  readonly #options: ProcessKubeletOptions;
  readonly #node: NodeServices;
  readonly #claims: ClaimFolders;
  #enqueue: Enqueue = () => undefined;

  constructor(cluster: Cluster, options: ProcessKubeletOptions, folder: string) {
    this.#cluster = cluster;
    this.#options = options;
    this.#claims = new ClaimFolders(cluster, options.dataDir);
    this.#node = this.#services(folder);
    this.names = {
      name: 'host-names',
      watches: [nameOf(services), nameOf(endpointSlices)],
      keysOf: () => ['all'],
      reconcile: async () => {
        await Promise.all([...this.workers.values()].map((worker) => worker.setHosts().catch(() => undefined)));
        const slices = readAll(cluster.store, endpointSlices);
        await options.driver.servicesAre(serviceRoutes(readAll(cluster.store, services), slices));
        return undefined;
      },
    };
  }

  started(enqueue: Enqueue): void {
    this.#enqueue = enqueue;
  }

  keysOf({ key }: { readonly key: { readonly namespace: string; readonly name: string } }): readonly string[] {
    return [joinKey(key.namespace, key.name)];
  }

  async reconcile(key: string): Promise<undefined> {
    const { namespace, name } = splitKey(key);
    const pod = readOne(this.#cluster.store, pods, namespace, name);
    const known = this.workers.get(key);
    if (known !== undefined && known.uid !== pod?.metadata.uid) {
      this.workers.delete(key);
      void known.stop(0);
    }
    if (pod === undefined || pod.spec?.nodeName !== this.#options.nodeName) return undefined;
    if (pod.metadata.deletionTimestamp !== undefined) {
      void this.#end(key, pod);
      return undefined;
    }
    if (hasPodEnded(pod) && !this.workers.has(key)) return undefined;
    const worker = this.workers.get(key) ?? this.#begin(key, pod);
    await this.#report(pod, worker);
    return undefined;
  }

  refresh(): void {
    for (const worker of this.workers.values()) void worker.refresh();
    this.sweepClaims();
  }

  sweepClaims(): void {
    const running = new Set([...this.workers.values()].map(({ uid }) => uid));
    this.#claims.sweep((uid) => running.has(uid));
  }

  async close(stop: StopController): Promise<void> {
    stop();
    await Promise.all([...this.workers.values()].map((worker) => worker.stop(2)));
  }

  #begin(key: string, pod: Stored<Pod>): PodWorker {
    const worker = new PodWorker(pod, this.#node, () => this.#enqueue(key));
    this.workers.set(key, worker);
    void worker.run();
    return worker;
  }

  /** Deletes the Pod object after its last process has ended. */
  async #end(key: string, pod: Stored<Pod>): Promise<void> {
    const worker = this.workers.get(key);
    if (worker !== undefined) {
      await worker.stop(pod.metadata.deletionGracePeriodSeconds ?? undefined);
      const current = readOne(this.#cluster.store, pods, pod.metadata.namespace ?? '', pod.metadata.name);
      if (current?.metadata.uid === worker.uid) await this.#report(current, worker).catch(() => undefined);
      if (this.workers.get(key) === worker) this.workers.delete(key);
    }
    try {
      await this.#cluster.writes.delete(pods, pod.metadata, {
        gracePeriodSeconds: 0,
        preconditions: { uid: pod.metadata.uid },
      });
    } catch (error) {
      if (!isNotFound(error)) this.#cluster.onError?.(this.name, key, error);
    }
  }

  async #report(pod: Stored<Pod>, worker: PodWorker): Promise<void> {
    if (hasPodEnded(pod)) return;
    const status = worker.status(pod);
    if (deepEqual(status, pod.status)) return;
    await this.#cluster.writes.update(pods, { ...pod, status }, { subresource: 'status' });
  }

  #services(folder: string): NodeServices {
    const { store, world, writes } = this.#cluster;
    const { driver, images, capacity, cgroups, env = {} } = this.#options;
    const record = createEventRecorder(this.#cluster, 'kubelet');
    const turns = new Turns(cpus().length);
    const { host, port } = driver.apiServer;
    return {
      driver,
      images,
      clock: world.clock,
      hostIp: HOST_IP,
      nodeCapacity: capacity,
      cgroups,
      folder,
      env: {
        KUBERNETES_SERVICE_HOST: host,
        KUBERNETES_SERVICE_PORT: String(port),
        KUBERNETES_SERVICE_PORT_HTTPS: String(port),
        KUBERNETES_PORT: `tcp://${host}:${port}`,
        ...env,
      },
      turn: () => turns.take(),
      tell: (pod, severity, reason, message) => void record(pod, severity, reason, message),
      hostsOf: (pod, ip) =>
        hostsText(pod, ip, {
          services: readAll(store, services),
          slices: readAll(store, endpointSlices),
          apiServer: host,
        }),
      linksOf: async ({ metadata, spec }) =>
        spec?.enableServiceLinks === false
          ? {}
          : await serviceLinks(readAll(store, services, metadata.namespace), (address) => driver.reach(address)),
      sourcesOf: ({ metadata, spec }) => {
        const { namespace = '', name, uid } = metadata;
        return {
          configMap: (each) => readOne(store, configMaps, namespace, each),
          secret: (each) => readOne(store, secrets, namespace, each),
          claimFolder: (claim) => this.#claims.of(namespace, claim, uid),
          async token(audience, seconds) {
            const account = spec?.serviceAccountName ?? 'default';
            const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${account}/token`;
            const request = {
              apiVersion: 'authentication.k8s.io/v1',
              kind: 'TokenRequest',
              spec: {
                audiences: audience === undefined ? [] : [audience],
                expirationSeconds: seconds ?? TOKEN_SECONDS,
                boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name, uid },
              },
            };
            const answer = await writes.post<{ status: { token: string } }>(path, request);
            return answer.status.token;
          },
        };
      },
    };
  }
}
