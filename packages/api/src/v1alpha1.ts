/**
 * The deprecated v1alpha1 shapes. The API server relabels the same bytes and prunes what the older version does not know;
 * the operator itself reads and writes only v1, so these types are for readers of old manifests.
 */
import type { Time } from './meta.ts';
import type {
  AutoscalerOptions,
  HeadGroupSpec,
  HeadInfo,
  RayCluster,
  RayClusterSpec,
  RayClusterStatus,
  StringMap,
  WorkerGroupSpec,
} from './raycluster.ts';
import type { RayJob, RayJobSpec, RayJobStatus } from './rayjob.ts';
import type {
  AppStatus,
  RayService,
  RayServiceSpec,
  RayServiceStatus,
  RayServiceStatuses,
  ServeDeploymentStatus,
} from './rayservice.ts';

/** A RayCluster as v1alpha1 knows it. */
export interface RayClusterV1Alpha1 extends Omit<RayCluster, 'spec' | 'status'> {
  readonly spec?: RayClusterSpecV1Alpha1;
  readonly status?: RayClusterStatusV1Alpha1;
}

/** The fields of a cluster's spec that v1alpha1 keeps. */
export interface RayClusterSpecV1Alpha1
  extends Pick<RayClusterSpec, 'rayVersion' | 'enableInTreeAutoscaling' | 'headServiceAnnotations' | 'suspend'> {
  readonly headGroupSpec: HeadGroupSpecV1Alpha1;
  readonly workerGroupSpecs?: readonly WorkerGroupSpecV1Alpha1[];
  readonly autoscalerOptions?: AutoscalerOptionsV1Alpha1;
}

/** The head group of v1alpha1, which insists on `rayStartParams`. */
export interface HeadGroupSpecV1Alpha1
  extends Pick<HeadGroupSpec, 'template' | 'serviceType' | 'headService' | 'enableIngress'> {
  readonly rayStartParams: StringMap;
}

/** A worker group of v1alpha1, which insists on `rayStartParams`. */
export interface WorkerGroupSpecV1Alpha1
  extends Pick<
    WorkerGroupSpec,
    'groupName' | 'template' | 'replicas' | 'minReplicas' | 'maxReplicas' | 'scaleStrategy'
  > {
  readonly rayStartParams: StringMap;
}

/** The autoscaler options of v1alpha1: no version, command or arguments. */
export type AutoscalerOptionsV1Alpha1 = Omit<AutoscalerOptions, 'version' | 'command' | 'args'>;

/** A cluster's status in v1alpha1: no conditions, no transition times. */
export interface RayClusterStatusV1Alpha1
  extends Omit<RayClusterStatus, 'conditions' | 'stateTransitionTimes' | 'head'> {
  readonly head?: Pick<HeadInfo, 'podIP' | 'serviceIP'>;
}

/** A RayJob as v1alpha1 knows it. */
export interface RayJobV1Alpha1 extends Omit<RayJob, 'spec' | 'status'> {
  readonly spec?: RayJobSpecV1Alpha1;
  readonly status?: RayJobStatusV1Alpha1;
}

/** The fields of a job's spec that v1alpha1 keeps. */
export interface RayJobSpecV1Alpha1
  extends Pick<
    RayJobSpec,
    | 'clusterSelector'
    | 'metadata'
    | 'jobId'
    | 'runtimeEnvYAML'
    | 'shutdownAfterJobFinishes'
    | 'ttlSecondsAfterFinished'
    | 'suspend'
    | 'submitterPodTemplate'
    | 'entrypointNumCpus'
    | 'entrypointNumGpus'
    | 'entrypointResources'
  > {
  readonly entrypoint: string;
  readonly rayClusterSpec?: RayClusterSpecV1Alpha1;
}

/** A job's status in v1alpha1. */
export interface RayJobStatusV1Alpha1
  extends Pick<
    RayJobStatus,
    | 'jobId'
    | 'rayClusterName'
    | 'dashboardURL'
    | 'jobStatus'
    | 'jobDeploymentStatus'
    | 'message'
    | 'startTime'
    | 'endTime'
    | 'observedGeneration'
  > {
  readonly rayClusterStatus?: RayClusterStatusV1Alpha1;
}

/** A RayService as v1alpha1 knows it. */
export interface RayServiceV1Alpha1 extends Omit<RayService, 'spec' | 'status'> {
  readonly spec?: RayServiceSpecV1Alpha1;
  readonly status?: RayServiceStatusesV1Alpha1;
}

/** The fields of a service's spec that v1alpha1 keeps. */
export interface RayServiceSpecV1Alpha1
  extends Pick<
    RayServiceSpec,
    'serveConfigV2' | 'serveService' | 'serviceUnhealthySecondThreshold' | 'deploymentUnhealthySecondThreshold'
  > {
  readonly rayClusterConfig?: RayClusterSpecV1Alpha1;
}

/** A service's status in v1alpha1. */
export interface RayServiceStatusesV1Alpha1
  extends Pick<RayServiceStatuses, 'serviceStatus' | 'lastUpdateTime' | 'observedGeneration'> {
  readonly activeServiceStatus?: RayServiceStatusV1Alpha1;
  readonly pendingServiceStatus?: RayServiceStatusV1Alpha1;
}

/** One of the two clusters of a service in v1alpha1. */
export interface RayServiceStatusV1Alpha1 extends Pick<RayServiceStatus, 'rayClusterName'> {
  readonly rayClusterStatus?: RayClusterStatusV1Alpha1;
  readonly applicationStatuses?: Readonly<Record<string, AppStatusV1Alpha1>>;
}

/** An application's status in v1alpha1, which says when its health was last looked at. */
export interface AppStatusV1Alpha1 extends Omit<AppStatus, 'serveDeploymentStatuses'> {
  readonly healthLastUpdateTime?: Time;
  readonly serveDeploymentStatuses?: Readonly<Record<string, ServeDeploymentStatusV1Alpha1>>;
}

/** A deployment's status in v1alpha1, which says when its health was last looked at. */
export interface ServeDeploymentStatusV1Alpha1 extends ServeDeploymentStatus {
  readonly healthLastUpdateTime?: Time;
}
