import { isRecord, Label, NodeType, type Pod, type PodStatus, readOperatorEnv, defaultFeatureGates } from '@manta/api';
import { sharedCrds } from '@manta/api/crds';
import {
  type Api,
  createApi,
  createInProcessClient,
  createStore,
  type ServedResource,
  type StoredObject,
} from '@manta/apiserver';
import { CONTROLLERS, startController } from '@manta/controllers';
import { EMPTY_WORLD, type World as SeenWorld } from '@manta/insight';
import { ApiError, type KubeClient, resources } from '@manta/kube';
import { FakeHead, fakeSend } from '@manta/ray/testing';
import { gatewayCrds } from '@manta/router';
import { createManager, createMetricsRegistry, silentLogger, type World } from '@manta/runtime';
import { seededRandom } from '@manta/runtime/testing';
import { servedDefinition } from '../../../packages/apiserver/src/registry/served-definition.ts';
import { createControllers } from '../../../packages/operator/src/controllers/controllers.ts';
import { operatorOptions, PLAIN_CLUSTER } from '../../support/operator-options.ts';
import { replayedChoices } from '../choices.ts';
import { hookClient } from '../client-hook.ts';
import { lighten, withoutManagers } from '../light-server.ts';
import { quietly } from '../raycluster/quietly.ts';
import { Scheduler } from '../scheduler.ts';

export const NAMESPACE = 'default';
/** The operator's version: preview assumes the one that stamped the pods. */
const VERSION = '0.0.0-sim';
const GATES = { ...defaultFeatureGates(), RayServiceIncrementalUpgrade: true };
const STORED = {
  pods: '/pods',
  gateways: 'gateway.networking.k8s.io/gateways',
  routes: 'gateway.networking.k8s.io/httproutes',
} as const;

const RAY_KINDS = sharedCrds().map((crd) => servedDefinition(crd) as ServedResource);
const GATEWAY_KINDS = gatewayCrds().map((crd) => servedDefinition(crd) as ServedResource);

/** What happened to an object of a kind that preview speaks of. */
export interface Happened {
  readonly verb: 'create' | 'delete';
  readonly kind: string;
  readonly object: StoredObject;
}

/** What goes wrong on the stage. */
export interface StageOptions {
  /** The status of a pod that does not become ready; undefined: it does. */
  readonly podStatus?: (pod: Pod) => PodStatus | undefined;
  /** Nobody serves Gateways. */
  readonly isWithoutGateways?: boolean;
  /** The API server refuses this to the operator, in these words. */
  readonly refusal?: { readonly verb: string; readonly plural: string; readonly message: string };
  /** What becomes of a head's jobs and applications whenever it is asked. */
  readonly onHead?: (head: FakeHead) => void;
}

/** The whole operator on an in-process API server, on virtual time: pods become ready and end at once, and Ray answers. */
export class PreviewStage {
  readonly client: KubeClient;
  readonly happened: Happened[] = [];
  readonly #scheduler = new Scheduler(replayedChoices([]));
  readonly #api: Api;
  readonly #heads = new Map<string, FakeHead>();
  readonly #stop = new AbortController();
  readonly #options: StageOptions;
  #events = 0;

  private constructor(options: StageOptions) {
    this.#options = options;
    let uids = 0;
    const newUid = () => `00000000-0000-0000-0000-${String(++uids).padStart(12, '0')}`;
    this.#api = createApi({
      store: createStore(),
      world: { clock: this.#scheduler.clock('server'), newUid, random: () => 0.5 },
      plugins: [withoutManagers],
    });
    lighten(this.#api);
    for (const resource of [...RAY_KINDS, ...GATEWAY_KINDS]) this.#api.registry.serve(resource);
    this.client = createInProcessClient(this.#api, {
      userAgent: 'preview',
      toError: (call, status) => new ApiError(call, status.code ?? 500, status.message ?? '', status),
    });
  }

  static async open(options: StageOptions = {}): Promise<PreviewStage> {
    const stage = new PreviewStage(options);
    const { client } = stage;
    await client.create(resources.namespaces, { metadata: { name: NAMESPACE } });
    await client.create(resources.serviceAccounts, { metadata: { name: 'default', namespace: NAMESPACE } });
    // Without its node a pod is no endpoint.
    await client.create(resources.nodes, { metadata: { name: 'n1' } });
    await stage.#scheduler.as('environment', () => stage.#runEnvironment());
    await stage.#scheduler.as('operator', () => stage.#runOperator());
    await stage.settle(1_000);
    return stage;
  }

  close(): void {
    this.#stop.abort(new Error('closed'));
  }

  now(): number {
    return this.#scheduler.now();
  }

  /** Lets virtual time pass until nothing was written for so long. */
  async settle(quietMs: number): Promise<void> {
    for (let quiet = 0; quiet < quietMs; ) {
      const before = this.#events;
      const until = this.#scheduler.now() + 5_000;
      while (this.#scheduler.now() < until) await this.#scheduler.next(until);
      quiet = this.#events === before ? quiet + 5_000 : 0;
    }
  }

  /** Everything that a reader sees. */
  async world(): Promise<SeenWorld> {
    const items = async (type: Parameters<KubeClient['list']>[0]) => ({
      kind: 'seen' as const,
      items: (await this.client.list(type, { namespace: NAMESPACE })).items,
    });
    return {
      ...EMPTY_WORLD,
      now: this.now(),
      rayClusters: await items(resources.rayClusters),
      rayJobs: await items(resources.rayJobs),
      rayServices: await items(resources.rayServices),
      rayCronJobs: await items(resources.rayCronJobs),
      pods: await items(resources.pods),
      services: await items(resources.services),
      events: await items(resources.events),
      jobs: await items(resources.jobs),
      claims: await items(resources.persistentVolumeClaims),
      gatewayClasses: {
        kind: 'seen',
        items: [{ metadata: { name: 'istio' }, spec: { controllerName: 'istio.io/gateway-controller' } }],
      },
      gateways: await items(resources.gateways),
      httpRoutes: await items(resources.httpRoutes),
    };
  }

  #runOperator(): void {
    const clock = this.#scheduler.clock('operator');
    const { refusal } = this.#options;
    const world: World = {
      clock,
      client:
        refusal === undefined
          ? this.client
          : hookClient(this.client, (verb, call, args) => refuse(refusal, verb, call, args)),
      log: silentLogger,
      metrics: createMetricsRegistry(),
      random: seededRandom(1),
    };
    const made = createControllers(world, {
      options: operatorOptions({ gates: GATES }),
      env: readOperatorEnv({}),
      version: VERSION,
      facts: PLAIN_CLUSTER,
      hostname: 'sim',
      sendToRay: fakeSend(clock, (origin) => this.#headAt(new URL(origin).hostname)),
    });
    const { informers, controllers } = made;
    const running = createManager(world, { informers, controllers, leadership: undefined }).run(this.#stop.signal);
    void running.catch(() => undefined).finally(() => made.poller.close());
  }

  #runEnvironment(): void {
    const { store, registry } = this.#api;
    const clock = this.#scheduler.clock('environment');
    const cluster = {
      world: { clock, newUid: () => '', random: () => 0.5 },
      store,
      writes: this.client,
      resources: () => registry.all().map(({ info }) => info),
    };
    startController(cluster, CONTROLLERS['garbage-collector'](cluster));
    startController(cluster, CONTROLLERS['endpoint-slices'](cluster));
    store.watch(store.revision, ({ type, object, before, key }) => {
      const plural = key.resource.split('/')[1] ?? '';
      if (plural === 'events' || plural === 'leases') return;
      this.#events += 1;
      const kind = KINDS[plural];
      const isEnding = object.metadata.deletionTimestamp !== undefined;
      const wasEnding = before?.metadata.deletionTimestamp !== undefined;
      if (kind !== undefined && type === 'ADDED') this.happened.push({ verb: 'create', kind, object });
      // The moment that a user sees: a pod starts to terminate.
      if (kind !== undefined && isEnding && !wasEnding && type === 'MODIFIED')
        this.happened.push({ verb: 'delete', kind, object });
      if (kind !== undefined && type === 'DELETED' && !wasEnding && !isEnding)
        this.happened.push({ verb: 'delete', kind, object });
      if (kind === 'Pod' && type === 'ADDED') clock.setTimer(100, () => this.#startPod(object));
      if (kind === 'Pod' && isEnding && !wasEnding) clock.setTimer(100, () => void quietly(this.#endPod(object)));
      if (type === 'ADDED' && plural === 'jobs') {
        clock.setTimer(100, () => void quietly(this.#endCleanup(object)));
        clock.setTimer(100, () => void quietly(this.#submit(object)));
      }
      const isRouting = this.#options.isWithoutGateways !== true;
      if (isRouting && type === 'ADDED' && (key.resource === STORED.gateways || key.resource === STORED.routes))
        clock.setTimer(100, () => this.#program(key, object));
    });
  }

  #startPod({ metadata: { name, uid } }: StoredObject): void {
    const key = { resource: STORED.pods, namespace: NAMESPACE, name };
    const pod = this.#api.store.get(key);
    if (pod?.metadata.uid !== uid || pod.metadata.deletionTimestamp !== undefined) return;
    const address = `10.0.${Number(uid.slice(-6)) >> 8}.${Number(uid.slice(-6)) & 255}`;
    const conditions = ['Ready', 'ContainersReady'].map((type) => ({ type, status: 'True' }));
    const status = { phase: 'Running', podIP: address, podIPs: [{ ip: address }], conditions };
    const spec = 'spec' in pod && typeof pod.spec === 'object' ? pod.spec : {};
    const broken = this.#options.podStatus?.(pod);
    const isUnscheduled = broken?.conditions?.some(
      ({ type, status: value }) => type === 'PodScheduled' && value === 'False',
    );
    const node = isUnscheduled === true ? {} : { nodeName: 'n1' };
    this.#api.store.update(key, { ...pod, spec: { ...spec, ...node }, status: broken ?? status });
  }

  async #endPod({ metadata: { name, uid } }: StoredObject): Promise<void> {
    const options = { gracePeriodSeconds: 0, preconditions: { uid } };
    await this.client.delete(resources.pods, { name, namespace: NAMESPACE }, options);
  }

  async #endCleanup({ metadata: { name, labels } }: StoredObject): Promise<void> {
    if (labels?.[Label.NodeType] !== NodeType.RedisCleanup) return;
    const lastTransitionTime = new Date(this.now()).toISOString().replace(/\.\d+Z$/, 'Z');
    const conditions = ['SuccessCriteriaMet', 'Complete'].map((type) => ({ type, status: 'True', lastTransitionTime }));
    const status = { startTime: lastTransitionTime, completionTime: lastTransitionTime, conditions };
    const patch = { type: 'merge', body: { status } } as const;
    await this.client.patch(resources.jobs, { name, namespace: NAMESPACE }, patch, { subresource: 'status' });
  }

  /** What a submitter does: Ray gets the job, which runs from then on. */
  async #submit({ metadata: { name, labels } }: StoredObject): Promise<void> {
    if (labels?.[Label.NodeType] === NodeType.RedisCleanup) return;
    const { status } = await this.client.get(resources.rayJobs, { name, namespace: NAMESPACE });
    const head = this.#headAt(`${status?.rayClusterName}-head-svc`);
    head?.setJob(status?.jobId ?? '', { status: 'RUNNING' });
  }

  #program(key: Parameters<Api['store']['get']>[0], { metadata }: StoredObject): void {
    const current = this.#api.store.get(key);
    if (current?.metadata.uid !== metadata.uid) return;
    const lastTransitionTime = new Date(this.now()).toISOString().replace(/\.\d+Z$/, 'Z');
    const yes = (type: string) => ({ type, status: 'True', reason: type, message: '', lastTransitionTime });
    const parentRef = { name: key.name.replace('httproute', 'gateway'), namespace: NAMESPACE };
    const status =
      key.resource === STORED.gateways
        ? { conditions: [yes('Accepted'), yes('Programmed')] }
        : { parents: [{ parentRef, controllerName: 'sim', conditions: [yes('Accepted'), yes('ResolvedRefs')] }] };
    const programmed: StoredObject & { readonly status: unknown } = { ...current, status };
    this.#api.store.update(key, programmed);
  }

  /** The head that answers at an address or behind a head Service. */
  #headAt(host: string): FakeHead | undefined {
    const pods = this.#api.store.list(STORED.pods) as readonly (StoredObject & {
      readonly status?: { readonly podIP?: string; readonly phase?: string };
    })[];
    const [service = ''] = host.split('-head-svc');
    const head = pods.find(
      ({ metadata, status }) =>
        metadata.labels?.[Label.NodeType] === NodeType.Head &&
        status?.phase === 'Running' &&
        metadata.deletionTimestamp === undefined &&
        (status.podIP === host || metadata.labels[Label.Cluster] === service),
    );
    if (head === undefined) return undefined;
    const known = this.#heads.get(head.metadata.uid) ?? new FakeHead({ now: () => this.now() });
    known.onSubmit = 'RUNNING';
    known.nodes = pods
      .filter(({ metadata }) => metadata.labels?.[Label.Cluster] === head.metadata.labels?.[Label.Cluster])
      .map(({ metadata, status }) => ({
        node_id: metadata.uid,
        node_ip: status?.podIP ?? '',
        is_head_node: metadata.uid === head.metadata.uid,
        state: 'ALIVE' as const,
      }));
    this.#heads.set(head.metadata.uid, known);
    this.#options.onHead?.(known);
    return known;
  }
}

function refuse(
  { verb, plural, message }: NonNullable<StageOptions['refusal']>,
  method: string,
  call: () => unknown,
  [type]: readonly unknown[],
): unknown {
  const isMeant = method === verb && isRecord(type) && type['plural'] === plural;
  if (!isMeant) return call();
  const status = { kind: 'Status', status: 'Failure', reason: 'Forbidden', code: 403, message } as const;
  return Promise.reject(new ApiError({ method: 'POST', path: plural }, 403, message, status));
}

const KINDS: Readonly<Record<string, string>> = {
  pods: 'Pod',
  rayclusters: 'RayCluster',
  services: 'Service',
  jobs: 'Job',
  httproutes: 'HTTPRoute',
  gateways: 'Gateway',
};
