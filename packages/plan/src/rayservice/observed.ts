import type { AppStatus, GatewayLike, HttpRouteLike, KubeObject, RayCluster, RayService, Service } from '@manta/api';
import type { BuildContext } from '../build/context.ts';
import type { PodRecord } from '../raycluster/observed.ts';
import type { NodeCapacity } from './upgrade/node-capacity.ts';

/** Everything a decision about a RayService needs, read at one moment. */
export interface ObservedRayService {
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly service: RayService;
  readonly context: BuildContext;
  /** The RayClusters whose controller owner is this RayService: active, pending and orphaned. */
  readonly clusters: readonly ServiceCluster[];
  /** Kubernetes Services by name: those created for this RayService, and those that hold a name it needs. */
  readonly kubeServices: ReadonlyMap<string, Service>;
  /** The number of distinct ready pods behind a Kubernetes Service, by its name; absent: none. */
  readonly endpoints: ReadonlyMap<string, number>;
  readonly gatewayApi: GatewayApi;
  readonly serveConfig: ParsedServeConfig;
  /** Schedulable nodes; undefined unless the operator checks node capacity before upgrades and may read nodes. */
  readonly nodes?: readonly NodeCapacity[] | undefined;
}

/** One RayCluster of a RayService, with the last answers of its head. */
export interface ServiceCluster {
  readonly cluster: RayCluster;
  readonly pods: readonly PodRecord[];
  /** Identifies one run of the head. A restarted head has another session and has lost its Serve configuration. */
  readonly session: string;
  readonly serve: ServeAnswer;
  /** The health check of the Serve proxy on the head pod; undefined: not answered yet, or not needed. */
  readonly isProxyHealthy: boolean | undefined;
  /** Serve configurations in flight to the head, and results that the planner has not settled yet. */
  readonly submissions: readonly Submission[];
}

/** The last answer of the Ray dashboard about Serve applications. */
export type ServeAnswer =
  | { readonly kind: 'unknown' }
  | {
      readonly kind: 'known';
      /** When the request was sent. */
      readonly at: number;
      readonly applications: Readonly<Record<string, AppStatus>>;
      /** Replicas that take requests, by application; absent: Serve reports none. */
      readonly servingReplicas?: ReadonlyMap<string, number> | undefined;
      /** The configuration that Serve reports to run; undefined when it does not report one. */
      readonly config: Readonly<Record<string, unknown>> | undefined;
      /** `target_capacity` as Serve reports it, in percent; absent: none set, which means full capacity. */
      readonly capacity?: number | undefined;
    }
  | { readonly kind: 'failing'; readonly message: string };

/** The state of one PUT of a Serve configuration to a head. */
export type Submission = { readonly id: string } & (
  | { readonly state: 'running' }
  | { readonly state: 'done'; readonly at: number }
  | { readonly state: 'failed'; readonly at: number; readonly message: string }
);

/** Whether the Gateway API can be used, and the Gateway and HTTPRoute of this RayService. */
export type GatewayApi =
  /** The feature gate RayServiceIncrementalUpgrade is off. */
  | { readonly kind: 'disabled' }
  /** The CRDs are not installed, or the operator may not read them. */
  | { readonly kind: 'missing'; readonly why: string }
  | { readonly kind: 'available'; readonly gateway: Gateway | undefined; readonly route: HttpRoute | undefined };

/** The fields of a Gateway that the operator writes and reads. */
export interface Gateway extends KubeObject, GatewayLike {
  readonly spec?: {
    readonly gatewayClassName?: string;
    readonly listeners?: readonly { readonly name: string; readonly protocol: string; readonly port: number }[];
  };
}

/** The fields of an HTTPRoute that the operator writes and reads. */
export interface HttpRoute extends KubeObject, HttpRouteLike {
  readonly spec?: {
    readonly hostnames?: readonly string[];
    readonly parentRefs?: readonly { readonly name: string; readonly namespace?: string }[];
    readonly rules?: readonly HttpRouteRule[];
  };
}

export interface HttpRouteRule {
  readonly matches?: readonly unknown[];
  readonly filters?: readonly unknown[];
  readonly backendRefs?: readonly HttpBackendRef[];
}

export interface HttpBackendRef {
  readonly name: string;
  readonly namespace?: string;
  readonly port?: number;
  readonly weight?: number;
}

/** `spec.serveConfigV2`, parsed as YAML. */
export type ParsedServeConfig =
  | { readonly ok: true; readonly isPending?: undefined; readonly value: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly isPending?: undefined; readonly error: string }
  /** The text is still being parsed: heads keep the configuration that they accepted before. */
  | { readonly ok: false; readonly isPending: true };
