/**
 * What should happen: builders (spec → Pod, Service, Job …) and one planner for each kind (observed → actions). Pure: no I/O, no clock, no
 * randomness, so that every decision is a table test and the same code runs in the simulation, in the command line and in browsers.
 */
export {
  type Amounts,
  addAmounts,
  amountsOf,
  containerAmounts,
  NO_AMOUNTS,
  podAmounts,
  timesAmounts,
} from './amounts.ts';
export { AUTH_TOKEN_BYTES, buildAuthSecret, wantsAuthSecret } from './build/auth-secret.ts';
export {
  buildAutoscalerRole,
  buildAutoscalerRoleBinding,
  buildAutoscalerServiceAccount,
  ownServiceAccount,
} from './build/autoscaler-access.ts';
export type { BuildContext, PodDefaults } from './build/context.ts';
export { alignClaimOwner, buildGcsClaim, describeClaimDrift } from './build/gcs-claim.ts';
export { storageNamespaceOf } from './build/gcs-ft.ts';
export { buildHeadBudget, type PodDisruptionBudget } from './build/head-budget.ts';
export { buildHeadPod, headFqdn, stampHeadPod } from './build/head-pod.ts';
export { buildHeadService, headDashboardPort, headServiceSelector } from './build/head-service.ts';
export { buildHeadlessService } from './build/headless-service.ts';
export { alignIngress, buildIngress, type LiveIngress } from './build/ingress.ts';
export type { ReplicaPlace } from './build/pod-labels.ts';
export { buildRedisCleanupJob, keepsStateInRedis, type RedisCleanupOptions } from './build/redis-cleanup.ts';
export { buildRoute, type Route } from './build/route.ts';
export { buildServeService, NO_SERVE_PORT, wantsServeService } from './build/serve-service.ts';
export { servePortOf } from './build/service-services.ts';
export { type SubmitInput, submitCommand } from './build/submitter-command.ts';
export type { TargetCluster } from './build/submitter-container.ts';
export {
  buildSubmitterJob,
  buildSubmitterTemplate,
  type SubmitterJobInput,
  submitterLabels,
} from './build/submitter-job.ts';
export { buildJobSubmission, type JobSubmission } from './build/submitter-request.ts';
export { readRuntimeEnv } from './build/submitter-runtime-env.ts';
export { type SidecarInput, sidecarSubmitter, withSidecarSubmitter } from './build/submitter-sidecar.ts';
export { atPlace, buildWorkerPod } from './build/worker-pod.ts';
export { type Certificate, type Issuer, isIssued, PkiComponent } from './mtls/cert-manager.ts';
export { leafStateOf } from './mtls/leaf-state.ts';
export {
  type Issue,
  type ObservedOwnPki,
  type OwnPkiPlan,
  planOwnPki,
} from './mtls/own.ts';
export { type ObservedPki, planPki } from './mtls/plan.ts';
export { type ObservedNetworkPolicies, planNetworkPolicies } from './network-policy/plan.ts';
export { buildNetworkPolicies } from './network-policy/policies.ts';
export {
  controllerOf,
  deleteOwn,
  isOwn,
  patchOwn,
  patchSelf,
  type Seen,
  type Target,
  updateOwn,
} from './ownership.ts';
export { OWNERSHIP_EXCEPTIONS, type OwnershipException, type Rewrite, refusalOf } from './ownership-exceptions.ts';
export type {
  AbortAction,
  Action,
  ChildKind,
  CreateAction,
  DeleteAction,
  EventAction,
  PatchAction,
  Plan,
  PlannedEvent,
  PlanOutcome,
  Progress,
  RayAction,
  RayCommand,
  ReconcilePlan,
  Reported,
  UpdateAction,
  WaitAction,
  WrittenKind,
} from './plan.ts';
export {
  type ClusterMemory,
  type CreateBackoffs,
  NO_CLUSTER_MEMORY,
  rememberRefusals,
} from './raycluster/create-backoff.ts';
export { HEAD_PLACE, predecessorOf } from './raycluster/head-name.ts';
export { ASK_AFTER_MS, type RayClusterNeeds, rayClusterNeeds } from './raycluster/needs.ts';
export { spareIngressName } from './raycluster/ingress.ts';
export { spareObjectName } from './raycluster/object-name.ts';
export type {
  HeadRecord,
  JobRecord,
  LastHolder,
  LeafState,
  NamedRecord,
  ObservedChildren,
  ObservedRayCluster,
  PkiState,
  PodRecord,
  RayNodeRecord,
  RoleBindingRecord,
  RoleRecord,
  RouteRecord,
  ServiceRecord,
  SubmitterRecord,
} from './raycluster/observed.ts';
export {
  type Belonging,
  type ClusterKey,
  jobRecord,
  labelledRecord,
  namedRecord,
  originKey,
  originKeys,
  roleBindingRecord,
  roleRecord,
  routeRecord,
  serviceRecord,
  withoutManagedFields,
} from './records/child-records.ts';
export { type CronChildRecord, cronChildRecord } from './records/cron-child-record.ts';
export { podRecord } from './records/pod-record.ts';
export { type Sharing, UNSHARED } from './records/sharing.ts';
export { planRayCluster, type RayClusterPlan } from './raycluster/plan.ts';
export { REJOIN_MS } from './raycluster/worker-rejoin.ts';
export { type DesiredResources, desiredResources } from './raycluster/resources.ts';
export { ownPods } from './raycluster/cluster-state.ts';
export { type EndedPodRule, explainPod, reasonToDelete } from './raycluster/ended-pods.ts';
export { isUrgentChange, requeueAfterStatusMs, startupDigest } from './raycluster/status-changes.ts';
export { placeName } from './raycluster/worker-pods.ts';
export type { CronChild, ObservedRayCronJob } from './raycronjob/observed.ts';
export { planRayCronJob, type RayCronJobPlan } from './raycronjob/plan.ts';
export type { Address, CommandView, JobAnswer, JobReport, ObservedRayJob } from './rayjob/observed.ts';
export { ALLOWED_PAIRS, hasEnded, isAllowedPair, isTerminalState } from './rayjob/status-pairs.ts';
export { planRayJob, type RayJobPlan } from './rayjob/plan.ts';
export { afterProgress as afterRayJobProgress, EMPTY_RAYJOB_MEMORY, type RayJobMemory } from './rayjob/memory.ts';
export { type HeadNeed, type JobQuestion, type RayJobNeeds, rayJobNeeds } from './rayjob/needs.ts';
export { canDebounceStatus } from './rayjob/status.ts';
export { stopId } from './rayjob/stop-job.ts';
export type { OrphanedCluster } from './rayjob/cluster-deletion.ts';
export { clusterNameOf } from './rayjob/state.ts';
export { submissionId } from './rayjob/submission.ts';
export { lastWords } from './shared/last-words.ts';
export { lackingResource, largestNode, type NodeRoom, roomInWords } from './shared/room.ts';
export { pipFailure } from './shared/pip-failure.ts';
export { adoptedRoute } from './rayservice/traffic/adopted-route.ts';
export { EMPTY_SERVICE_MEMORY, type ServiceMemory } from './rayservice/memory.ts';
export { type HeadQuestion, rayServiceNeeds, type RayServiceNeeds } from './rayservice/needs.ts';
export {
  type Gateway,
  type GatewayApi,
  type HttpRoute,
  type ObservedRayService,
  type ServeAnswer,
  type ParsedServeConfig,
  type ServiceCluster,
  type Submission,
} from './rayservice/observed.ts';
export { planRayService, type RayServicePlan } from './rayservice/plan.ts';
export type { NodeCapacity } from './rayservice/upgrade/node-capacity.ts';
export { headPodOf, isHeadReady, selectedPods } from './rayservice/serve/serving.ts';
export {
  BATCH_SCHEDULERS,
  type BatchSchedulerName,
  GANG_KINDS,
  type GangKind,
  type GangRecord,
} from './scheduling/scheduler.ts';
export { schedulerOf } from './scheduling/schedulers.ts';
