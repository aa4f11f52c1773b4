import {
  type AppStatus,
  defaultFeatureGates,
  type FeatureGates,
  isRecord,
  type KubeObject,
  Label,
  type RayCluster,
  type RayService,
  type RayServiceSpec,
  type RayServiceStatuses,
  readOperatorEnv,
  type Service,
} from '@manta/api';
import { rayClusterSpec, rayService, workerGroup } from '@manta/api/testing';
import type { Action, PlannedEvent } from '../plan.ts';
import type { PodRecord } from '../raycluster/observed.ts';
import {
  type Gateway,
  type HttpRoute,
  type ObservedRayService,
  type ServiceCluster,
  type Submission,
} from '../rayservice/observed.ts';
import { EMPTY_SERVICE_MEMORY, type ServiceMemory } from '../rayservice/memory.ts';
import { planRayService, type RayServicePlan } from '../rayservice/plan.ts';
import type { NodeCapacity } from '../rayservice/upgrade/node-capacity.ts';
import { headPod } from './observed.ts';

/** One cluster with a fake Serve that tests control. */
export interface FakeServe {
  cluster: RayCluster;
  /** Incremented when the head restarts. */
  life: number;
  isHeadReady: boolean;
  isProxyHealthy: boolean;
  /** Workers that are ready and take traffic. */
  workers: number;
  applications: Record<string, AppStatus>;
  /** Replicas that take requests, by application. */
  servingReplicas?: ReadonlyMap<string, number>;
  /** Every configuration that it received, oldest first. */
  configs: Record<string, unknown>[];
  answersSince: number;
  /** What keeps its head from running. */
  trouble?: string;
  /** How often Ray restarted in its head pod. */
  restarts?: number;
  deployedConfig: Record<string, unknown> | undefined;
}

/** What a test may set about a service and its environment. */
export interface ServiceWorldOptions {
  readonly spec?: Partial<RayServiceSpec>;
  readonly metadata?: RayService['metadata'];
  readonly gates?: Partial<FeatureGates>;
  readonly env?: Readonly<Record<string, string>>;
  /** The status of applications after a PUT. */
  readonly deploysAs?: string;
}

/** Applies plans to a few objects: a service, its clusters with a fake Serve, its Services and its route. */
export class ServiceWorld {
  /** Overrides the parsed configuration of the spec. */
  serveConfig: ObservedRayService['serveConfig'] | undefined;
  /** Observed nodes; undefined: the operator does not check node capacity. */
  nodes: readonly NodeCapacity[] | undefined;
  now = Date.parse('2026-08-01T12:00:00Z');
  service: RayService;
  clusters = new Map<string, FakeServe>();
  services = new Map<string, Service>();
  gateway: Gateway | undefined;
  route: HttpRoute | undefined;
  isGatewayReady = true;
  hasGatewayApi = true;
  memory: ServiceMemory = EMPTY_SERVICE_MEMORY;
  submissions: (Submission & { readonly cluster: string })[] = [];
  events: PlannedEvent[] = [];
  deploysAs: string;
  /** Present: Serve refuses configurations with this message. */
  refusal: string | undefined;
  isGone = false;
  readonly #context: ObservedRayService['context'];
  #uids = 0;

  constructor(options: ServiceWorldOptions = {}) {
    this.#context = {
      env: readOperatorEnv(options.env ?? {}),
      gates: { ...defaultFeatureGates(), ...options.gates },
      operatorVersion: '0.0.0-test',
      podDefaults: {},
    };
    const base = rayService('svc');
    const rayClusterConfig = rayClusterSpec({ workerGroupSpecs: [workerGroup('workers')] });
    this.service = {
      ...base,
      metadata: { ...base.metadata, namespace: 'ml', resourceVersion: '1', ...options.metadata },
      spec: { serveConfigV2: base.spec?.serveConfigV2 ?? '', rayClusterConfig, ...options.spec },
    };
    this.deploysAs = options.deploysAs ?? 'RUNNING';
  }

  get status(): RayServiceStatuses {
    return this.service.status ?? {};
  }

  get active(): string {
    return this.status.activeServiceStatus?.rayClusterName ?? '';
  }

  get pending(): string {
    return this.status.pendingServiceStatus?.rayClusterName ?? '';
  }

  serveOf(cluster: string): FakeServe {
    const found = this.clusters.get(cluster);
    if (found === undefined) throw new Error(`there is no cluster ${cluster}`);
    return found;
  }

  /** The reason of a condition, or `-`. */
  reason(type: string): string {
    return this.status.conditions?.find((condition) => condition.type === type)?.reason ?? '-';
  }

  message(type: string): string {
    return this.status.conditions?.find((condition) => condition.type === type)?.message ?? '';
  }

  /** The weights of the route, by cluster. */
  weights(): Record<string, number> {
    const refs = this.route?.spec?.rules?.[0]?.backendRefs ?? [];
    return Object.fromEntries(refs.map(({ name, weight = 1 }) => [name.replace(/-serve-svc$/, ''), weight]));
  }

  edit(spec: Partial<RayServiceSpec>, annotations: Record<string, string> = {}): void {
    const { metadata = {}, spec: old } = this.service;
    if (old === undefined) throw new Error('no spec');
    this.service = {
      ...this.service,
      metadata: {
        ...metadata,
        generation: (metadata.generation ?? 1) + 1,
        annotations: { ...metadata.annotations, ...annotations },
      },
      spec: { ...old, ...spec },
    };
  }

  /** Changes the head's image, which needs a new cluster. */
  editImage(image: string, more: Partial<RayServiceSpec> = {}): void {
    const old = this.service.spec?.rayClusterConfig ?? rayClusterSpec();
    const container = { name: 'ray-head', image };
    const template = { spec: { containers: [container] } };
    this.edit({ rayClusterConfig: { ...old, headGroupSpec: { ...old.headGroupSpec, template } }, ...more });
  }

  /** Restarts the operator: its memory is lost. */
  restart(): void {
    this.memory = EMPTY_SERVICE_MEMORY;
    this.submissions = [];
  }

  loseHead(cluster: string): void {
    const serve = this.serveOf(cluster);
    Object.assign(serve, { isHeadReady: false, isProxyHealthy: false, applications: {}, life: serve.life + 1 });
  }

  returnHead(cluster: string): void {
    Object.assign(this.serveOf(cluster), { isHeadReady: true, isProxyHealthy: true, answersSince: this.now });
  }

  observe(): ObservedRayService {
    return {
      now: this.now,
      service: this.service,
      context: this.#context,
      clusters: [...this.clusters.values()].map((serve) => this.#view(serve)),
      kubeServices: this.services,
      endpoints: new Map([...this.services].map(([name, service]) => [name, this.#endpoints(service)])),
      gatewayApi: this.hasGatewayApi
        ? { kind: 'available', gateway: this.gateway, route: this.route }
        : { kind: 'missing', why: 'the server has no such kind' },
      serveConfig: this.serveConfig ?? {
        ok: true,
        value: { applications: [{ name: 'app', text: this.service.spec?.serveConfigV2 }] },
      },
      nodes: this.nodes,
    };
  }

  /** One reconcile, with all of its actions carried out. */
  reconcile(observed = this.observe()): RayServicePlan {
    const plan = planRayService(observed, this.memory);
    this.memory = plan.memory;
    for (const action of plan.actions) {
      if (action.type === 'abort') return plan;
      this.#apply(action);
    }
    if (plan.status !== undefined) this.service = { ...this.service, status: plan.status };
    this.#finishSubmissions();
    this.#programRoute();
    return plan;
  }

  /** Reconciles once a second until the service no longer exists or the time is over. */
  settle(seconds = 60): void {
    for (let second = 0; second < seconds && !this.isGone; second += 1) {
      this.reconcile();
      this.now += 1000;
    }
  }

  #view(serve: FakeServe): ServiceCluster {
    const { cluster, life } = serve;
    const name = cluster.metadata?.name ?? '';
    const conditions = [{ type: 'HeadPodReady', status: serve.isHeadReady ? 'True' : 'False' } as const];
    return {
      cluster: {
        ...cluster,
        status: {
          conditions: conditions.map((each) => ({ ...each, reason: '', message: '', lastTransitionTime: '' })),
        },
      },
      pods: this.#pods(serve),
      session: `${name}/${life}`,
      serve: serve.isHeadReady
        ? {
            kind: 'known',
            at: Math.max(this.now, serve.answersSince),
            applications: serve.applications,
            servingReplicas: serve.servingReplicas,
            config: serve.deployedConfig,
          }
        : { kind: 'unknown' },
      isProxyHealthy: serve.isHeadReady ? serve.isProxyHealthy : false,
      submissions: this.submissions.filter((each) => each.cluster === name),
    };
  }

  #pods({ cluster, isHeadReady, life, workers, trouble, restarts = 0 }: FakeServe): readonly PodRecord[] {
    const { name = '', uid: owner } = cluster.metadata ?? {};
    const ready = isHeadReady ? 'True' : 'False';
    const serveLabel = cluster.metadata?.labels?.['test/head-serves'] ?? 'false';
    const plain = headPod();
    const head = headPod({
      name: `${name}-head`,
      uid: `${name}-head-${life}`,
      cluster: name,
      owner,
      ready,
      serveLabel,
      trouble,
      head: plain.head === undefined ? undefined : { ...plain.head, restarts },
    });
    const rest = Array.from({ length: workers }, (_, index) => ({
      ...headPod({ name: `${name}-worker-${index}`, uid: `${name}-worker-${index}`, cluster: name, owner }),
      nodeType: 'worker',
      head: undefined,
      ready: 'True',
      serveLabel: 'true',
    }));
    return [head, ...rest];
  }

  #endpoints(service: Service): number {
    const cluster = this.clusters.get(service.spec?.selector?.[Label.Cluster] ?? '');
    if (cluster === undefined) return 0;
    return this.#pods(cluster).filter(({ ready, serveLabel }) => ready === 'True' && serveLabel === 'true').length;
  }

  #apply(action: Action): void {
    switch (action.type) {
      case 'event':
        this.events.push(action.event);
        return;
      case 'create':
        for (const object of action.objects) this.#create(action.kind, object);
        break;
      case 'update':
        this.#update(action.kind, action.object);
        break;
      case 'patch':
        this.#patch(action.kind, action.name, action.patch);
        break;
      case 'delete':
        this.#delete(action.kind, action.name);
        break;
      case 'ray':
        if (action.command.kind === 'settle') {
          this.submissions = this.submissions.filter(({ id }) => id !== action.id);
          return;
        }
        this.submissions.push({ id: action.id, state: 'running', cluster: action.cluster });
        if (action.command.kind === 'put-serve') this.#put(action.cluster, JSON.parse(action.command.config));
        return;
      default:
        throw new Error(`a service never does ${action.type}`);
    }
    if (action.done !== undefined) this.events.push(action.done);
  }

  #put(cluster: string, config: Record<string, unknown>): void {
    const serve = this.serveOf(cluster);
    serve.configs.push(config);
    if (this.refusal === undefined) serve.applications = { app: { status: this.deploysAs } };
  }

  #create(kind: string, object: KubeObject): void {
    this.#uids += 1;
    const metadata = {
      ...object.metadata,
      uid: `uid-${this.#uids}`,
      creationTimestamp: new Date(this.now).toISOString(),
    };
    const name = metadata.name ?? '';
    const made = { ...object, metadata };
    if (kind === 'RayCluster') {
      this.clusters.set(name, {
        cluster: made,
        life: 0,
        isHeadReady: true,
        isProxyHealthy: true,
        workers: 1,
        applications: {},
        configs: [],
        answersSince: 0,
        deployedConfig: undefined,
      });
    } else this.#update(kind, made);
  }

  #update(kind: string, object: KubeObject): void {
    const name = object.metadata?.name ?? '';
    if (kind === 'Service') this.services.set(name, object);
    else if (kind === 'Gateway') this.gateway = object;
    else if (kind === 'HTTPRoute') this.route = { ...object };
    else if (kind === 'RayCluster') this.serveOf(name).cluster = object;
    else if (kind === 'RayService') this.service = { ...object, status: this.status };
    else throw new Error(`a service never updates a ${kind}`);
  }

  #patch(kind: string, name: string, patch: unknown): void {
    const metadata = isRecord(patch) && isRecord(patch['metadata']) ? patch['metadata'] : {};
    if (kind === 'Pod') {
      const labels = isRecord(metadata['labels']) ? metadata['labels'] : {};
      const { cluster } = this.serveOf(name.replace(/-head$/, ''));
      const own = { ...cluster.metadata?.labels, 'test/head-serves': String(labels[Label.Serve]) };
      this.serveOf(name.replace(/-head$/, '')).cluster = { ...cluster, metadata: { ...cluster.metadata, labels: own } };
    } else if (kind === 'RayService') {
      const own = this.service.metadata ?? {};
      const added = isRecord(metadata['annotations']) ? metadata['annotations'] : {};
      const annotations = Object.fromEntries(
        Object.entries({ ...own.annotations, ...added }).map(([key, value]) => [key, String(value)]),
      );
      this.service = { ...this.service, metadata: { ...own, ...metadata, annotations } };
      const isLetGo = (this.service.metadata?.finalizers ?? []).length === 0;
      this.isGone = isLetGo && this.service.metadata?.deletionTimestamp !== undefined;
    } else throw new Error(`a service never patches a ${kind}`);
  }

  #delete(kind: string, name: string): void {
    if (kind === 'RayCluster') {
      this.clusters.delete(name);
      this.services.delete(`${name}-serve-svc`);
    } else if (kind === 'Service') this.services.delete(name);
    else if (kind === 'Gateway') this.gateway = undefined;
    else this.route = undefined;
  }

  /** Every submission ends right after the reconcile that sent it. */
  #finishSubmissions(): void {
    this.submissions = this.submissions.map((each) => {
      if (each.state !== 'running') return each;
      const { id, cluster } = each;
      if (this.refusal !== undefined) return { id, cluster, state: 'failed', at: this.now, message: this.refusal };
      return { id, cluster, state: 'done', at: this.now };
    });
  }

  #programRoute(): void {
    if (this.gateway === undefined || !this.isGatewayReady) return;
    const yes = (type: string) => ({ type, status: 'True' });
    this.gateway = { ...this.gateway, status: { conditions: [yes('Accepted'), yes('Programmed')] } };
    if (this.route === undefined) return;
    const parentRef = { name: this.gateway.metadata?.name ?? '' };
    this.route = {
      ...this.route,
      status: { parents: [{ parentRef, conditions: [yes('Accepted'), yes('ResolvedRefs')] }] },
    };
  }
}

/** A service that is ready and needs no further action. */
export function restingService(options: ServiceWorldOptions = {}): ServiceWorld {
  const world = new ServiceWorld(options);
  world.settle(10);
  return world;
}
