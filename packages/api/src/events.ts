/** Actions of the events that we report. */
export const EventAction = {
  Create: 'Create',
  Delete: 'Delete',
  Update: 'Update',
  Validate: 'Validate',
  Reconcile: 'Reconcile',
  Cleanup: 'Cleanup',
  Suspend: 'Suspend',
} as const;
export type EventAction = (typeof EventAction)[keyof typeof EventAction];

/** Reporting controllers of the events that we report. */
export const ReportingController = {
  RayCluster: 'raycluster-controller',
  RayJob: 'rayjob-controller',
  RayService: 'rayservice-controller',
  RayCronJob: 'raycronjob-controller',
  NetworkPolicy: 'networkpolicy-controller',
  Mtls: 'raycluster-mtls-controller',
} as const;
export type ReportingController = (typeof ReportingController)[keyof typeof ReportingController];

/** Event reasons of the RayCluster controller. */
export const RayClusterEventReason = {
  InvalidRayClusterStatus: 'InvalidRayClusterStatus',
  InvalidRayClusterSpec: 'InvalidRayClusterSpec',
  InvalidRayClusterMetadata: 'InvalidRayClusterMetadata',
  CreatedHeadPod: 'CreatedHeadPod',
  FailedToCreateHeadPod: 'FailedToCreateHeadPod',
  DeletedHeadPod: 'DeletedHeadPod',
  FailedToDeleteHeadPod: 'FailedToDeleteHeadPod',
  CreatedWorkerPod: 'CreatedWorkerPod',
  FailedToCreateWorkerPod: 'FailedToCreateWorkerPod',
  DeletedWorkerPod: 'DeletedWorkerPod',
  FailedToDeleteWorkerPod: 'FailedToDeleteWorkerPod',
  FailedToDeleteWorkerPodCollection: 'FailedToDeleteWorkerPodCollection',
  CreatedRedisCleanupJob: 'CreatedRedisCleanupJob',
  FailedToCreateRedisCleanupJob: 'FailedToCreateRedisCleanupJob',
  ForceDeletedStuckCluster: 'ForceDeletedStuckCluster',
  DeletedPod: 'DeletedPod',
  FailedToDeletePod: 'FailedToDeletePod',
  FailedToDeletePodCollection: 'FailedToDeletePodCollection',
  // Ours alone.
  PodNotStarting: 'PodNotStarting',
  MultipleHeadPods: 'MultipleHeadPods',
  RedisStateLeftBehind: 'RedisStateLeftBehind',
  ReplacementDelayed: 'ReplacementDelayed',
  SharedObjectNames: 'SharedObjectNames',
  SecuredRayCluster: 'SecuredRayCluster',
} as const;
export type RayClusterEventReason = (typeof RayClusterEventReason)[keyof typeof RayClusterEventReason];

/** Event reasons of the RayJob controller. */
export const RayJobEventReason = {
  InvalidRayJobSpec: 'InvalidRayJobSpec',
  InvalidRayJobMetadata: 'InvalidRayJobMetadata',
  InvalidRayJobStatus: 'InvalidRayJobStatus',
  CreatedRayJobSubmitter: 'CreatedRayJobSubmitter',
  DeletedRayJobSubmitter: 'DeletedRayJobSubmitter',
  FailedToCreateRayJobSubmitter: 'FailedToCreateRayJobSubmitter',
  FailedToDeleteRayJobSubmitter: 'FailedToDeleteRayJobSubmitter',
  CreatedRayCluster: 'CreatedRayCluster',
  UpdatedRayCluster: 'UpdatedRayCluster',
  DeletedRayCluster: 'DeletedRayCluster',
  FailedToCreateRayCluster: 'FailedToCreateRayCluster',
  FailedToDeleteRayCluster: 'FailedToDeleteRayCluster',
  FailedToUpdateRayCluster: 'FailedToUpdateRayCluster',
  RayClusterNotFound: 'RayClusterNotFound',
  BatchSchedulerCleanedUp: 'BatchSchedulerCleanedUp',
  FailedToCleanupBatchScheduler: 'FailedToCleanupBatchScheduler',
  // Ours alone.
  RayJobFailed: 'RayJobFailed',
  RayClusterNotReady: 'RayClusterNotReady',
  SubmitterNotStarted: 'SubmitterNotStarted',
} as const;
export type RayJobEventReason = (typeof RayJobEventReason)[keyof typeof RayJobEventReason];

/** Event reasons of the RayCronJob controller. */
export const RayCronJobEventReason = {
  InvalidRayCronJobSpec: 'InvalidRayCronJobSpec',
  SuspendedRayCronJob: 'SuspendedRayCronJob',
  /** The following ones are ours; where Kubernetes' own CronJob tells the same, they have its words. */
  FailedToCreateRayJob: 'FailedToCreateRayJob',
  JobAlreadyActive: 'JobAlreadyActive',
  MissSchedule: 'MissSchedule',
  TooManyMissedTimes: 'TooManyMissedTimes',
  FeatureGateOff: 'FeatureGateOff',
} as const;
export type RayCronJobEventReason = (typeof RayCronJobEventReason)[keyof typeof RayCronJobEventReason];

/** Event reasons of the RayService controller. */
export const RayServiceEventReason = {
  InvalidRayServiceSpec: 'InvalidRayServiceSpec',
  InvalidRayServiceMetadata: 'InvalidRayServiceMetadata',
  RayServiceInitializingTimeout: 'RayServiceInitializingTimeout',
  RollbackImpossible: 'RollbackImpossible',
  CreatedRayCluster: 'CreatedRayCluster',
  UpdatedRayCluster: 'UpdatedRayCluster',
  DeletedRayCluster: 'DeletedRayCluster',
  FailedToCreateRayCluster: 'FailedToCreateRayCluster',
  FailedToUpdateRayCluster: 'FailedToUpdateRayCluster',
  FailedToDeleteRayCluster: 'FailedToDeleteRayCluster',
  UpdatedHeadPodServeLabel: 'UpdatedHeadPodServeLabel',
  FailedToUpdateHeadPodServeLabel: 'FailedToUpdateHeadPodServeLabel',
  UpdatedServeApplications: 'UpdatedServeApplications',
  FailedToUpdateServeApplications: 'FailedToUpdateServeApplications',
  UpdatedServeTargetCapacity: 'UpdatedServeTargetCapacity',
  FailedToUpdateTargetCapacity: 'FailedToUpdateTargetCapacity',
  CreatedGateway: 'CreatedGateway',
  UpdatedGateway: 'UpdatedGateway',
  DeletedGateway: 'DeletedGateway',
  FailedToCreateGateway: 'FailedToCreateGateway',
  FailedToUpdateGateway: 'FailedToUpdateGateway',
  FailedToDeleteGateway: 'FailedToDeleteGateway',
  CreatedHttpRoute: 'CreatedHTTPRoute',
  UpdatedHttpRoute: 'UpdatedHTTPRoute',
  DeletedHttpRoute: 'DeletedHTTPRoute',
  FailedToCreateHttpRoute: 'FailedToCreateHTTPRoute',
  FailedToUpdateHttpRoute: 'FailedToUpdateHTTPRoute',
  FailedToDeleteHttpRoute: 'FailedToDeleteHTTPRoute',
  DeletedService: 'DeletedService',
  FailedToDeleteService: 'FailedToDeleteService',
  // Ours alone.
  ServeApplicationFailed: 'ServeApplicationFailed',
  GatewayApiNotFound: 'GatewayApiNotFound',
  UpgradeRolledBack: 'UpgradeRolledBack',
  UpgradeHeldUp: 'UpgradeHeldUp',
  UpgradeLacksRoom: 'UpgradeLacksRoom',
} as const;
export type RayServiceEventReason = (typeof RayServiceEventReason)[keyof typeof RayServiceEventReason];

/** Event reasons that more than one controller uses. */
export const SharedEventReason = {
  CreatedService: 'CreatedService',
  UpdatedService: 'UpdatedService',
  FailedToCreateService: 'FailedToCreateService',
  FailedToUpdateService: 'FailedToUpdateService',
  CreatedIngress: 'CreatedIngress',
  FailedToCreateIngress: 'FailedToCreateIngress',
  UpdatedIngress: 'UpdatedIngress',
  FailedToUpdateIngress: 'FailedToUpdateIngress',
  CreatedRoute: 'CreatedRoute',
  FailedToCreateRoute: 'FailedToCreateRoute',
  CreatedServiceAccount: 'CreatedServiceAccount',
  FailedToCreateServiceAccount: 'FailedToCreateServiceAccount',
  AutoscalerServiceAccountNotFound: 'AutoscalerServiceAccountNotFound',
  CreatedRole: 'CreatedRole',
  FailedToCreateRole: 'FailedToCreateRole',
  CreatedRoleBinding: 'CreatedRoleBinding',
  FailedToCreateRoleBinding: 'FailedToCreateRoleBinding',
  CreatedPvc: 'CreatedPVC',
  FailedToCreatePvc: 'FailedToCreatePVC',
  // Ours alone.
  DeletedIngress: 'DeletedIngress',
  DeletedRoute: 'DeletedRoute',
} as const;
export type SharedEventReason = (typeof SharedEventReason)[keyof typeof SharedEventReason];

/** Event reasons of the NetworkPolicy controller. */
export const NetworkPolicyEventReason = {
  CreatedNetworkPolicy: 'CreatedNetworkPolicy',
  UpdatedNetworkPolicy: 'UpdatedNetworkPolicy',
  DeletedNetworkPolicy: 'DeletedNetworkPolicy',
  FailedToCreateNetworkPolicy: 'FailedToCreateNetworkPolicy',
  FailedToUpdateNetworkPolicy: 'FailedToUpdateNetworkPolicy',
  FailedToDeleteNetworkPolicy: 'FailedToDeleteNetworkPolicy',
  NetworkPolicyNameCollision: 'NetworkPolicyNameCollision',
} as const;
export type NetworkPolicyEventReason = (typeof NetworkPolicyEventReason)[keyof typeof NetworkPolicyEventReason];

/** Event reasons of the mTLS controller. */
export const MtlsEventReason = {
  PkiReady: 'MTLSPKIReady',
  CertsNotReady: 'MTLSCertsNotReady',
  FailedToReconcile: 'MTLSFailedToReconcile',
  CertificatesUpdated: 'MTLSCertificatesUpdated',
  CertificateExpiringSoon: 'MTLSCertificateExpiringSoon',
} as const;
export type MtlsEventReason = (typeof MtlsEventReason)[keyof typeof MtlsEventReason];

/** Every event reason; an event with another one can't be reported. */
export type EventReason =
  | RayClusterEventReason
  | RayJobEventReason
  | RayCronJobEventReason
  | RayServiceEventReason
  | SharedEventReason
  | NetworkPolicyEventReason
  | MtlsEventReason;
