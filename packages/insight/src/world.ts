import type {
  EndpointSlice,
  Job,
  KubeObject,
  Node,
  PersistentVolumeClaim,
  Pod,
  RayCluster,
  RayCronJob,
  RayJob,
  RayService,
  ResourceQuota,
  Service,
} from '@manta/api';
import type { Gateway, HttpRoute } from '@manta/plan';

/**
 * What a reader could see of a cluster at one moment: the input of every function in this package. The reader collects it with its own
 * rights; a part that it may not read says so, and the conclusions that need this part are left out.
 */
export interface World {
  /** When it was collected, in milliseconds since the epoch. */
  readonly now: number;
  readonly rayClusters: Part<RayCluster>;
  readonly rayJobs: Part<RayJob>;
  readonly rayServices: Part<RayService>;
  readonly rayCronJobs: Part<RayCronJob>;
  readonly pods: Part<Pod>;
  readonly nodes: Part<Node>;
  readonly events: Part<WorldEvent>;
  readonly services: Part<Service>;
  readonly endpointSlices: Part<EndpointSlice>;
  readonly quotas: Part<ResourceQuota>;
  readonly jobs: Part<Job>;
  readonly claims: Part<PersistentVolumeClaim>;
  readonly gateways: Part<Gateway>;
  readonly httpRoutes: Part<HttpRoute>;
  readonly gatewayClasses: Part<GatewayClass>;
  /** Kueue's Workloads. */
  readonly workloads: Part<QueuedWorkload>;
  /** Last lines of containers that failed, by `logKey`. */
  readonly logs: ReadonlyMap<string, LogTail>;
  /** What Ray heads answered, by `namespace/name` of the RayCluster. */
  readonly ray: ReadonlyMap<string, RayAnswers>;
}

/** One kind of object, as far as it can be read. */
export type Part<T> =
  | { readonly kind: 'seen'; readonly items: readonly T[] }
  /** The reader lacks a right, e.g. `list pods in namespace team-a`. */
  | { readonly kind: 'unreadable'; readonly right: string }
  /** The API server does not serve this kind: its CRD is not installed. */
  | { readonly kind: 'absent' }
  /** Not collected, because nothing that was asked for needs it. */
  | { readonly kind: 'unasked' };

/** An event of either API group, reduced to what is read of it. */
export interface WorldEvent extends KubeObject {
  readonly type?: string;
  readonly reason?: string;
  /** Named `message` in the core group. */
  readonly note?: string;
  readonly regarding?: {
    readonly kind?: string;
    readonly name?: string;
    readonly namespace?: string;
    readonly uid?: string;
  };
  readonly eventTime?: string | null;
  readonly deprecatedLastTimestamp?: string | null;
  readonly deprecatedCount?: number;
  readonly series?: { readonly count?: number; readonly lastObservedTime?: string };
}

/** The part of a GatewayClass that says whether a controller serves it. */
export interface GatewayClass extends KubeObject {
  readonly spec?: { readonly controllerName?: string };
  readonly status?: {
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly message?: string }[];
  };
}

/** The part of a Kueue Workload that says why it waits. */
export interface QueuedWorkload extends KubeObject {
  readonly spec?: { readonly queueName?: string };
  readonly status?: {
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly reason?: string;
      readonly message?: string;
    }[];
  };
}

/** The end of a container's output, oldest line first. */
export interface LogTail {
  readonly lines: readonly string[];
}

/** What a Ray head answered; a part that was not asked for is absent. */
export interface RayAnswers {
  /** Why the head did not answer at all. */
  readonly failure?: string;
  /** Jobs by submission id. */
  readonly jobs?: Readonly<Record<string, RayJobAnswer>>;
  /** Serve applications by name. */
  readonly serve?: Readonly<Record<string, ServeAnswer>>;
  readonly demand?: ResourceDemand;
}

export interface RayJobAnswer {
  readonly status: string;
  readonly message: string;
  readonly driverExitCode?: number;
  readonly lastLines?: readonly string[];
}

export interface ServeAnswer {
  readonly status: string;
  readonly message: string;
  readonly deployments: Readonly<Record<string, { readonly status: string; readonly message: string }>>;
}

/** What Ray's autoscaler reports: resources in use, and requests that nothing satisfies yet. */
export interface ResourceDemand {
  readonly used: Readonly<Record<string, { readonly used: number; readonly total: number }>>;
  readonly pending: readonly { readonly resources: Readonly<Record<string, number>>; readonly count: number }[];
}

/** The four kinds of Ray objects, as the API server names them. */
export type RayObjectKind = 'RayCluster' | 'RayJob' | 'RayService' | 'RayCronJob';

/** Names one object. */
export interface ObjectRef {
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
}

/** Names one of the four Ray objects. */
export interface RayRef extends ObjectRef {
  readonly kind: RayObjectKind;
  readonly namespace: string;
}

const UNASKED = { kind: 'unasked' } as const;

/** A world of which nothing was read. */
export const EMPTY_WORLD: World = {
  now: 0,
  rayClusters: UNASKED,
  rayJobs: UNASKED,
  rayServices: UNASKED,
  rayCronJobs: UNASKED,
  pods: UNASKED,
  nodes: UNASKED,
  events: UNASKED,
  services: UNASKED,
  endpointSlices: UNASKED,
  quotas: UNASKED,
  jobs: UNASKED,
  claims: UNASKED,
  gateways: UNASKED,
  httpRoutes: UNASKED,
  gatewayClasses: UNASKED,
  workloads: UNASKED,
  logs: new Map(),
  ray: new Map(),
};

/** The items of a part; none if it cannot be read. */
export function itemsOf<T>(part: Part<T>): readonly T[] {
  return part.kind === 'seen' ? part.items : [];
}

/** The key of a container's log in `World.logs`. */
export function logKey(namespace: string, pod: string, container: string): string {
  return `${namespace}/${pod}/${container}`;
}

const PARTS = [
  'rayClusters',
  'rayJobs',
  'rayServices',
  'rayCronJobs',
  'pods',
  'nodes',
  'events',
  'services',
  'endpointSlices',
  'quotas',
  'jobs',
  'claims',
  'gateways',
  'httpRoutes',
  'gatewayClasses',
  'workloads',
] as const satisfies readonly (keyof World)[];

/** The rights that the reader of this world lacks, each once. */
export function missingRights(world: World): readonly string[] {
  const rights = PARTS.map((name) => world[name]).flatMap((part) => (part.kind === 'unreadable' ? [part.right] : []));
  return [...new Set(rights)];
}
