/** RayCluster v1: a head pod, its worker groups and what is observed of them. An absent field and a zero value differ. */
import type {
  Container,
  EnvFromSource,
  EnvVar,
  EnvVarSource,
  IngressTLS,
  NetworkPolicyEgressRule,
  NetworkPolicyIngressRule,
  PodTemplateSpec,
  ResourceRequirements,
  SecurityContext,
  Service,
  VolumeMount,
} from './core.gen.ts';
import type { Condition, ObjectMeta, Time } from './meta.ts';

/** A map from string to string, as labels, annotations and Ray's start parameters are. */
export type StringMap = Readonly<Record<string, string>>;

/** A Ray cluster on Kubernetes. */
export interface RayCluster {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: ObjectMeta;
  readonly spec?: RayClusterSpec;
  readonly status?: RayClusterStatus;
}

/** What a user wants of a Ray cluster; also embedded in RayJob and RayService. */
export interface RayClusterSpec {
  readonly headGroupSpec: HeadGroupSpec;
  /** Order matters: Ray's autoscaler patches groups by their index. */
  readonly workerGroupSpecs?: readonly WorkerGroupSpec[];
  readonly rayVersion?: string;
  readonly enableInTreeAutoscaling?: boolean;
  readonly autoscalerOptions?: AutoscalerOptions;
  readonly headServiceAnnotations?: StringMap;
  readonly suspend?: boolean;
  /** Any value but our own controller name means that somebody else reconciles the object. */
  readonly managedBy?: string;
  readonly upgradeStrategy?: RayClusterUpgradeStrategy;
  readonly authOptions?: AuthOptions;
  /** Its presence, even empty, turns GCS fault tolerance on. */
  readonly gcsFaultToleranceOptions?: GcsFaultToleranceOptions;
  readonly historyServerOptions?: HistoryServerOptions;
  readonly networkPolicy?: NetworkPolicyOptions;
  readonly tlsOptions?: TLSOptions;
}

/** The values of `managedBy` that the CRD accepts. */
export const ManagedBy = {
  KubeRayOperator: 'ray.io/kuberay-operator',
  MultiKueue: 'kueue.x-k8s.io/multikueue',
} as const;
export type ManagedBy = (typeof ManagedBy)[keyof typeof ManagedBy];

/** What happens to a running cluster when its pod template changes. */
export const RayClusterUpgradeType = { Recreate: 'Recreate', None: 'None' } as const;
export type RayClusterUpgradeType = (typeof RayClusterUpgradeType)[keyof typeof RayClusterUpgradeType];

/** How a cluster that a user made takes a changed spec. */
export interface RayClusterUpgradeStrategy {
  readonly type?: RayClusterUpgradeType;
}

/** The head pod, and the Service and Ingress in front of it. */
export interface HeadGroupSpec {
  /** The container at index 0 runs Ray. */
  readonly template: PodTemplateSpec;
  readonly headService?: Service;
  readonly enableIngress?: boolean;
  readonly ingressOptions?: IngressOptions;
  /** Ray's logical resources as quantities in strings; they win over `rayStartParams`. */
  readonly resources?: StringMap;
  /** Ray node labels, put on the pod too. */
  readonly labels?: StringMap;
  readonly rayStartParams?: StringMap;
  readonly serviceType?: string;
}

/** How an Ingress matches a path. */
export const IngressPathType = {
  Exact: 'Exact',
  Prefix: 'Prefix',
  ImplementationSpecific: 'ImplementationSpecific',
} as const;
export type IngressPathType = (typeof IngressPathType)[keyof typeof IngressPathType];

/** Host, path and certificates of the head's Ingress. */
export interface IngressOptions {
  readonly host?: string;
  readonly path?: string;
  readonly pathType?: IngressPathType;
  readonly tls?: readonly IngressTLS[];
}

/** One group of equal worker pods. */
export interface WorkerGroupSpec {
  readonly groupName: string;
  readonly template: PodTemplateSpec;
  /** Clamped to `minReplicas`..`maxReplicas` wherever it is used. */
  readonly replicas?: number;
  readonly minReplicas?: number;
  readonly maxReplicas?: number;
  /** Pods a replica; read as 1 where an old CRD has not filled it in. */
  readonly numOfHosts?: number;
  readonly idleTimeoutSeconds?: number;
  readonly priority?: number;
  readonly resources?: StringMap;
  readonly labels?: StringMap;
  readonly rayStartParams?: StringMap;
  readonly scaleStrategy?: ScaleStrategy;
  /** Set by the RayJob controller to take workers away; not meant for users. */
  readonly suspend?: boolean;
}

/** The pods that Ray's autoscaler wants gone, by name. */
export interface ScaleStrategy {
  readonly workersToDelete?: readonly string[];
}

/** The two generations of Ray's autoscaler. */
export const AutoscalerVersion = { V1: 'v1', V2: 'v2' } as const;
export type AutoscalerVersion = (typeof AutoscalerVersion)[keyof typeof AutoscalerVersion];

/** How eagerly Ray's autoscaler adds pods. */
export const UpscalingMode = { Default: 'Default', Aggressive: 'Aggressive', Conservative: 'Conservative' } as const;
export type UpscalingMode = (typeof UpscalingMode)[keyof typeof UpscalingMode];

/** The autoscaler sidecar of the head pod. */
export interface AutoscalerOptions {
  /** Unset lets Ray decide. */
  readonly version?: AutoscalerVersion;
  readonly image?: string;
  readonly imagePullPolicy?: string;
  readonly resources?: ResourceRequirements;
  readonly securityContext?: SecurityContext;
  readonly env?: readonly EnvVar[];
  readonly envFrom?: readonly EnvFromSource[];
  readonly volumeMounts?: readonly VolumeMount[];
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly idleTimeoutSeconds?: number;
  readonly upscalingMode?: UpscalingMode;
}

/** Whether Ray asks its clients for a token. */
export const AuthMode = { Disabled: 'disabled', Token: 'token' } as const;
export type AuthMode = (typeof AuthMode)[keyof typeof AuthMode];

/** Authentication between Ray and its clients. */
export interface AuthOptions {
  readonly mode?: AuthMode;
  /** An existing Secret with key `auth_token`, instead of a generated one. */
  readonly secretName?: string;
  readonly enableK8sTokenAuth?: boolean;
}

/** Where the GCS keeps what must survive the head pod. */
export const GcsBackend = { Redis: 'redis', RocksDB: 'rocksdb' } as const;
export type GcsBackend = (typeof GcsBackend)[keyof typeof GcsBackend];

/** Lets a cluster survive the loss of its head pod. */
export interface GcsFaultToleranceOptions {
  readonly backend?: GcsBackend;
  readonly redisAddress?: string;
  readonly redisUsername?: RedisCredential;
  readonly redisPassword?: RedisCredential;
  readonly externalStorageNamespace?: string;
  readonly storage?: GcsStorage;
}

/** A user name or password: literal, or taken from a Secret or the like. */
export interface RedisCredential {
  readonly value?: string;
  readonly valueFrom?: EnvVarSource;
}

/** What becomes of the GCS volume when its cluster is deleted. */
export const GcsStorageDeletionPolicy = { DeleteWithCluster: 'DeleteWithCluster', Retain: 'Retain' } as const;
export type GcsStorageDeletionPolicy = (typeof GcsStorageDeletionPolicy)[keyof typeof GcsStorageDeletionPolicy];

/** The volume of the embedded GCS backend: an existing claim, or one that is made. */
export interface GcsStorage {
  readonly claimName?: string;
  readonly size?: string | number;
  readonly storageClassName?: string;
  readonly accessModes?: readonly string[];
  readonly subPath?: string;
  readonly deletionPolicy?: GcsStorageDeletionPolicy;
}

/** Sends logs and events to a history server. */
export interface HistoryServerOptions {
  readonly collectorOptions?: CollectorOptions;
}

/** The collector sidecar of every Ray pod. */
export interface CollectorOptions {
  readonly image?: string;
  readonly imagePullPolicy?: Container['imagePullPolicy'];
  readonly resources?: ResourceRequirements;
  readonly env?: readonly EnvVar[];
}

/** Which direction a cluster's NetworkPolicies close. */
export const NetworkPolicyMode = {
  DenyAll: 'DenyAll',
  DenyAllIngress: 'DenyAllIngress',
  DenyAllEgress: 'DenyAllEgress',
} as const;
export type NetworkPolicyMode = (typeof NetworkPolicyMode)[keyof typeof NetworkPolicyMode];

/** Closes the cluster's network, with exceptions. */
export interface NetworkPolicyOptions {
  readonly mode?: NetworkPolicyMode;
  readonly head?: NetworkPolicyRules;
  readonly worker?: NetworkPolicyRules;
  /** An entry replaces `worker` for its group. */
  readonly workerGroups?: readonly WorkerGroupNetworkPolicyRules[];
}

/** What is let through in spite of the mode. */
export interface NetworkPolicyRules {
  readonly ingressRules?: readonly NetworkPolicyIngressRule[];
  readonly egressRules?: readonly NetworkPolicyEgressRule[];
}

/** The exceptions of one worker group. */
export interface WorkerGroupNetworkPolicyRules extends NetworkPolicyRules {
  readonly groupName: string;
}

/** Mutual TLS between Ray's processes. */
export interface TLSOptions {
  readonly enabled?: boolean;
}

/** The one-word state of a cluster; absent until all pods have run. */
export const RayClusterState = { Ready: 'ready', Suspended: 'suspended', Failed: 'failed' } as const;
export type RayClusterState = (typeof RayClusterState)[keyof typeof RayClusterState];

/** What the operator has seen of a cluster. */
export interface RayClusterStatus {
  readonly state?: RayClusterState | '';
  readonly reason?: string;
  readonly desiredCPU?: string | number;
  readonly desiredMemory?: string | number;
  readonly desiredGPU?: string | number;
  readonly desiredTPU?: string | number;
  readonly desiredWorkerReplicas?: number;
  readonly minWorkerReplicas?: number;
  readonly maxWorkerReplicas?: number;
  /** Worker pods that are Running and Ready. */
  readonly readyWorkerReplicas?: number;
  /** Worker pods that are Running. */
  readonly availableWorkerReplicas?: number;
  readonly head?: HeadInfo;
  /** Head Service port name to node port or target port. */
  readonly endpoints?: StringMap;
  readonly conditions?: readonly Condition[];
  readonly lastUpdateTime?: Time | null;
  readonly stateTransitionTimes?: Readonly<Record<string, Time>>;
  readonly observedGeneration?: number;
}

/** Where the head pod and its Service are. */
export interface HeadInfo {
  readonly podIP?: string;
  readonly podName?: string;
  readonly serviceIP?: string;
  readonly serviceName?: string;
}

/** The condition types of a RayCluster. */
export const RayClusterConditionType = {
  Provisioned: 'RayClusterProvisioned',
  HeadPodReady: 'HeadPodReady',
  ReplicaFailure: 'ReplicaFailure',
  Suspending: 'RayClusterSuspending',
  Suspended: 'RayClusterSuspended',
  /** Ours alone: after the head was replaced, have the workers joined the new one? */
  WorkersRejoined: 'WorkersRejoined',
  /** Ours alone: something that the cluster needs is not allowed to the operator. */
  PermissionMissing: 'PermissionMissing',
} as const;
export type RayClusterConditionType = (typeof RayClusterConditionType)[keyof typeof RayClusterConditionType];

/** The reasons that RayCluster conditions give. */
export const RayClusterConditionReason = {
  AllPodRunningAndReadyFirstTime: 'AllPodRunningAndReadyFirstTime',
  RayClusterPodsProvisioning: 'RayClusterPodsProvisioning',
  HeadPodNotFound: 'HeadPodNotFound',
  HeadPodRunningAndReady: 'HeadPodRunningAndReady',
  Unknown: 'Unknown',
  FailedDeleteAllPods: 'FailedDeleteAllPods',
  FailedDeleteHeadPod: 'FailedDeleteHeadPod',
  FailedCreateHeadPod: 'FailedCreateHeadPod',
  FailedDeleteWorkerPod: 'FailedDeleteWorkerPod',
  FailedCreateWorkerPod: 'FailedCreateWorkerPod',
  Suspending: 'RayClusterSuspending',
  Suspended: 'RayClusterSuspended',
  HeadPodReplaced: 'HeadPodReplaced',
  AllWorkersRejoined: 'AllWorkersRejoined',
  WorkersNotRejoined: 'WorkersNotRejoined',
  WorkersReplaced: 'WorkersReplaced',
  Forbidden: 'Forbidden',
} as const;
export type RayClusterConditionReason = (typeof RayClusterConditionReason)[keyof typeof RayClusterConditionReason];
