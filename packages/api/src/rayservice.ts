/** RayService v1: Serve applications, and the clusters that they run on. */
import type { Service } from './core.gen.ts';
import type { Condition, ObjectMeta, Time } from './meta.ts';
import type { RayClusterSpec, RayClusterStatus } from './raycluster.ts';

/** Ray Serve applications kept running through upgrades. */
export interface RayService {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: ObjectMeta;
  readonly spec?: RayServiceSpec;
  readonly status?: RayServiceStatuses;
}

/** What a user wants to serve. */
export interface RayServiceSpec {
  readonly rayClusterConfig: RayClusterSpec;
  /** YAML text, handed to Serve. */
  readonly serveConfigV2?: string;
  readonly serveService?: Service;
  readonly upgradeStrategy?: RayServiceUpgradeStrategy;
  readonly excludeHeadPodFromServeSvc?: boolean;
  readonly rayClusterDeletionDelaySeconds?: number;
  readonly suspend?: boolean;
  readonly managedBy?: string;
  /** Kept for old manifests; nothing reads it. */
  readonly serviceUnhealthySecondThreshold?: number;
  /** Kept for old manifests; nothing reads it. */
  readonly deploymentUnhealthySecondThreshold?: number;
}

/** How a service takes a changed cluster: a new cluster, a new one step by step, a new one in the place of the old (ours alone), or not at all. */
export const RayServiceUpgradeType = {
  NewCluster: 'NewCluster',
  NewClusterWithIncrementalUpgrade: 'NewClusterWithIncrementalUpgrade',
  None: 'None',
  Recreate: 'Recreate',
} as const;
export type RayServiceUpgradeType = (typeof RayServiceUpgradeType)[keyof typeof RayServiceUpgradeType];

/** The kind of upgrade, and its pace. */
export interface RayServiceUpgradeStrategy {
  readonly type?: RayServiceUpgradeType;
  readonly clusterUpgradeOptions?: ClusterUpgradeOptions;
}

/** The pace of an incremental upgrade. */
export interface ClusterUpgradeOptions {
  readonly maxSurgePercent?: number;
  readonly stepSizePercent?: number;
  readonly intervalSeconds?: number;
  readonly gatewayClassName: string;
}

/** The deprecated one-word status of a service. */
export const RayServiceServiceStatus = { NotRunning: '', Running: 'Running' } as const;
export type RayServiceServiceStatus = (typeof RayServiceServiceStatus)[keyof typeof RayServiceServiceStatus];

/** What the operator has seen of a service. */
export interface RayServiceStatuses {
  readonly conditions?: readonly Condition[];
  readonly serviceStatus?: RayServiceServiceStatus;
  readonly numServeEndpoints?: number;
  readonly lastUpdateTime?: Time | null;
  readonly activeServiceStatus?: RayServiceStatus;
  readonly pendingServiceStatus?: RayServiceStatus;
  readonly observedGeneration?: number;
}

/** One of the two clusters of a service. */
export interface RayServiceStatus {
  readonly rayClusterName?: string;
  /** A copy; a change here alone is no reason to write the status. */
  readonly rayClusterStatus?: RayClusterStatus;
  readonly applicationStatuses?: Readonly<Record<string, AppStatus>>;
  readonly targetCapacity?: number;
  readonly trafficRoutedPercent?: number;
  readonly lastTrafficMigratedTime?: Time;
}

/** What Serve says about an application. */
export const ApplicationStatus = {
  NotStarted: 'NOT_STARTED',
  Deploying: 'DEPLOYING',
  Running: 'RUNNING',
  DeployFailed: 'DEPLOY_FAILED',
  Deleting: 'DELETING',
  Unhealthy: 'UNHEALTHY',
} as const;
export type ApplicationStatus = (typeof ApplicationStatus)[keyof typeof ApplicationStatus];

/** What Serve says about a deployment. */
export const DeploymentStatus = { Updating: 'UPDATING', Healthy: 'HEALTHY', Unhealthy: 'UNHEALTHY' } as const;
export type DeploymentStatus = (typeof DeploymentStatus)[keyof typeof DeploymentStatus];

/** One application; later versions of Serve may say more than the named statuses. */
export interface AppStatus {
  readonly status?: string;
  readonly message?: string;
  readonly serveDeploymentStatuses?: Readonly<Record<string, ServeDeploymentStatus>>;
}

/** One deployment of an application. */
export interface ServeDeploymentStatus {
  readonly status?: string;
  readonly message?: string;
}

/** The condition types of a RayService. */
export const RayServiceConditionType = {
  Ready: 'Ready',
  UpgradeInProgress: 'UpgradeInProgress',
  RollbackInProgress: 'RollbackInProgress',
  Suspending: 'Suspending',
  Suspended: 'Suspended',
} as const;
export type RayServiceConditionType = (typeof RayServiceConditionType)[keyof typeof RayServiceConditionType];

/** The reasons that RayService conditions give. */
export const RayServiceConditionReason = {
  Initializing: 'Initializing',
  InitializingTimeout: 'InitializingTimeout',
  ZeroServeEndpoints: 'ZeroServeEndpoints',
  NonZeroServeEndpoints: 'NonZeroServeEndpoints',
  BothActivePendingClustersExist: 'BothActivePendingClustersExist',
  NoPendingCluster: 'NoPendingCluster',
  NoActiveCluster: 'NoActiveCluster',
  ValidationFailed: 'ValidationFailed',
  DesiredClusterSpecChanged: 'DesiredClusterSpecChanged',
  SuspendRequested: 'SuspendRequested',
  SuspendInProgress: 'SuspendInProgress',
  SuspendComplete: 'SuspendComplete',
  RayServiceResumed: 'RayServiceResumed',
  // Ours alone.
  GatewayApiNotFound: 'GatewayApiNotFound',
  ProgressDeadlineExceeded: 'ProgressDeadlineExceeded',
} as const;
export type RayServiceConditionReason = (typeof RayServiceConditionReason)[keyof typeof RayServiceConditionReason];
