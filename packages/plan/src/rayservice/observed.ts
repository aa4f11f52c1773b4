import type { AppStatus, GatewayLike, HttpRouteLike, KubeObject, RayCluster, RayService, Service } from '@manta/api';
import type { BuildContext } from '../build/context.ts';
import type { PodRecord } from '../raycluster/observed.ts';
import type { NodeCapacity } from './upgrade/node-capacity.ts';

/** Everything a decision about a RayService needs, gathered at one moment. */
export interface ObservedRayService {
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly service: RayService;
  readonly context: BuildContext;
  /** The RayClusters that this service owns, old ones included. */
  readonly clusters: readonly ServiceCluster[];
  /** The Services that were made for it or hold a name that it wants, by name. */
  readonly services: ReadonlyMap<string, Service>;
  /** How many distinct pods are ready behind a Service, by its name; absent: none. */
  readonly endpoints: ReadonlyMap<string, number>;
  readonly gatewayApi: GatewayApi;
  readonly serveConfig: ServeConfig;
  /** The nodes that take pods, where somebody asked for a look at them before an upgrade. */
  readonly nodes?: readonly NodeCapacity[] | undefined;
  readonly memory: ServiceMemory;
}

/** One RayCluster of a service, with what its head and its Serve say. */
export interface ServiceCluster {
  readonly cluster: RayCluster;
  readonly pods: readonly PodRecord[];
  /** One life of its head; what an earlier life was told is lost. */
  readonly session: string;
  readonly serve: ServeAnswer;
  /** What Serve's proxy on the head says about itself; undefined while it has not been heard. */
  readonly isProxyHealthy: boolean | undefined;
  /** Configurations that are on their way to the head, or whose end has not been taken note of. */
  readonly submissions: readonly Submission[];
}

/** The last that Serve said about its applications. */
export type ServeAnswer =
  | { readonly kind: 'unknown' }
  | {
      readonly kind: 'known';
      /** When it was asked. */
      readonly at: number;
      readonly applications: Readonly<Record<string, AppStatus>>;
      /** Replicas that take requests, by application; absent: Serve reports none. */
      readonly servingReplicas?: ReadonlyMap<string, number> | undefined;
      /** The configuration that Serve says it runs, where it says so. */
      readonly config: Readonly<Record<string, unknown>> | undefined;
      /** The target capacity that Serve reports, in percent; absent: none, which is all. */
      readonly capacity?: number | undefined;
    }
  | { readonly kind: 'failing'; readonly message: string };

/** What became of a configuration that was sent to a head. */
export type Submission = { readonly id: string } & (
  | { readonly state: 'running' }
  | { readonly state: 'done'; readonly at: number }
  | { readonly state: 'failed'; readonly at: number; readonly message: string }
);

/** Whether Gateways and HTTPRoutes can be had, and those of this service. */
export type GatewayApi =
  /** The feature is off. */
  | { readonly kind: 'disabled' }
  /** Their CRDs are not installed, or we may not read them. */
  | { readonly kind: 'missing'; readonly why: string }
  | { readonly kind: 'available'; readonly gateway: Gateway | undefined; readonly route: HttpRoute | undefined };

/** The part of a Gateway that we make and read. */
export interface Gateway extends KubeObject, GatewayLike {
  readonly spec?: {
    readonly gatewayClassName?: string;
    readonly listeners?: readonly { readonly name: string; readonly protocol: string; readonly port: number }[];
  };
}

/** The part of an HTTPRoute that we make and read. */
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

/** The service's `serveConfigV2`, read as YAML. */
export type ServeConfig =
  | { readonly ok: true; readonly value: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly error: string };

/**
 * What the operator remembers of a service between two reconciles. Losing it costs at most one submission of the configuration, and none
 * where Serve reports that it runs it.
 */
export interface ServiceMemory {
  /** What is known of a cluster's head, by the cluster's name. */
  readonly heads: Readonly<Record<string, HeadMemory>>;
  /** Since when a cluster has been of no use, by its uid. */
  readonly orphanedSince: Readonly<Record<string, number>>;
  /** Since when this process has looked at the service. */
  readonly since?: number;
  /** What was told already and need not be told again while it lasts. */
  readonly told: readonly string[];
}

export interface HeadMemory {
  readonly session: string;
  /** The last configuration that the head took. */
  readonly taken?: AcceptedConfig | undefined;
  /** What an earlier life of the head took last. */
  readonly last?: DesiredConfig | undefined;
  /** The one that is on its way. */
  readonly sent?: InFlightConfig | undefined;
  /** How often in a row a configuration came to nothing: refused, or no application came of it. */
  readonly failedAttempts: number;
  /** Why the last one was refused, until one is taken. */
  readonly refusal?: string | undefined;
  /** Nothing is sent before this moment. */
  readonly backoffUntil: number;
}

export interface DesiredConfig {
  /** As the user wrote it: compared letter by letter. */
  readonly text: string;
  readonly config: Readonly<Record<string, unknown>>;
  /** In percent; undefined where the cluster serves at full capacity without being told so. */
  readonly capacity: number | undefined;
}

export interface AcceptedConfig extends DesiredConfig {
  readonly at: number;
}

export interface InFlightConfig extends DesiredConfig {
  readonly id: string;
  /** Whether only the capacity changes. */
  readonly isCapacityOnly: boolean;
}

/** Nothing is remembered yet. */
export const EMPTY_SERVICE_MEMORY: ServiceMemory = { heads: {}, orphanedSince: {}, told: [] };
