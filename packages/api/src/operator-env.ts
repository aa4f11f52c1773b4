import { parseGoInt } from './go-int.ts';
import { parseQuantity } from './quantity.ts';
import { DefaultSeconds } from './timings.ts';

/** Environment variables as a program finds them. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Names of the variables that the operator itself reads. */
export const OperatorEnvName = {
  EnableWebhooks: 'ENABLE_WEBHOOKS',
  ClusterDomain: 'CLUSTER_DOMAIN',
  EnableInitContainerInjection: 'ENABLE_INIT_CONTAINER_INJECTION',
  EnableProbesInjection: 'ENABLE_PROBES_INJECTION',
  EnableLoginShell: 'ENABLE_LOGIN_SHELL',
  EnableDeterministicHeadPodName: 'ENABLE_DETERMINISTIC_HEAD_POD_NAME',
  EnableRayHeadClusterIpService: 'ENABLE_RAY_HEAD_CLUSTER_IP_SERVICE',
  EnableGcsFtRedisCleanup: 'ENABLE_GCS_FT_REDIS_CLEANUP',
  EnableRandomPodDelete: 'ENABLE_RANDOM_POD_DELETE',
  EnableZeroDowntime: 'ENABLE_ZERO_DOWNTIME',
  UseIngressOnOpenShift: 'USE_INGRESS_ON_OPENSHIFT',
  DeleteRayJobAfterJobFinishes: 'DELETE_RAYJOB_CR_AFTER_JOB_FINISHES',
  RayClusterRequeueSeconds: 'RAYCLUSTER_DEFAULT_REQUEUE_SECONDS_ENV',
  RayJobTransitionGracePeriodSeconds: 'RAYJOB_DEPLOYMENT_STATUS_TRANSITION_GRACE_PERIOD_SECONDS',
  RayJobStatusCheckTimeoutSeconds: 'RAYJOB_STATUS_CHECK_TIMEOUT_SECONDS',
  // Ours alone.
  WebhookCertSecret: 'WEBHOOK_CERT_SECRET',
  WorkerDrainSeconds: 'WORKER_DRAIN_SECONDS',
  EnableHeadDisruptionBudget: 'ENABLE_HEAD_DISRUPTION_BUDGET',
  DeletePodsByRestartPolicy: 'DELETE_PODS_BY_RESTART_POLICY',
  EnableUpgradeCapacityCheck: 'ENABLE_UPGRADE_CAPACITY_CHECK',
  RedisCleanupCpu: 'REDIS_CLEANUP_CPU',
  RedisCleanupMemory: 'REDIS_CLEANUP_MEMORY',
  IssueMtlsCertificates: 'ISSUE_MTLS_CERTIFICATES',
  RayTokenFile: 'RAY_TOKEN_FILE',
  OperatorAppName: 'OPERATOR_APP_NAME',
  SubmitterRequests: 'SUBMITTER_REQUESTS',
} as const;

/** The suffix of service names in a cluster that sets no other. */
export const DEFAULT_CLUSTER_DOMAIN = 'cluster.local';

/** What the chart labels the operator's pods with, unless told otherwise. */
const DEFAULT_OPERATOR_APP_NAME = 'kuberay-operator';

/** What the operator's environment variables come to. */
export interface OperatorEnv {
  readonly webhooks: boolean;
  /** The Secret in which the operator keeps a certificate of its own making for its webhooks; absent: somebody else mounts one. */
  readonly webhookCertSecret: string | undefined;
  readonly clusterDomain: string;
  readonly initContainerInjection: boolean;
  readonly probesInjection: boolean;
  readonly loginShell: boolean;
  readonly deterministicHeadPodName: boolean;
  readonly rayHeadClusterIpService: boolean;
  readonly gcsFtRedisCleanup: boolean;
  readonly randomPodDelete: boolean;
  readonly zeroDowntime: boolean;
  readonly ingressOnOpenShift: boolean;
  readonly deleteRayJobAfterJobFinishes: boolean;
  /** Zero or less: a RayCluster is only looked at when something changed. */
  readonly rayClusterRequeueSeconds: number;
  readonly rayJobTransitionGracePeriodSeconds: number;
  readonly rayJobStatusCheckTimeoutSeconds: number;
  /** How long a worker that goes may take to finish its work; zero or less: it is not drained. */
  readonly workerDrainSeconds: number;
  /** Heads are protected from evictions. Needs the role's profile `disruption-budgets`. */
  readonly headDisruptionBudget: boolean;
  /** Pods that have ended, or whose Ray container has, are deleted by their restart policy alone. */
  readonly deletesByRestartPolicy: boolean;
  /** Nodes are looked at before an upgrade of a RayService. Needs the role's profile `upgrade-capacity`. */
  readonly upgradeCapacityCheck: boolean;
  /** What the Job that cleans Redis asks for; absent: little. */
  readonly redisCleanupCpu: string | undefined;
  readonly redisCleanupMemory: string | undefined;
  /** The operator issues the certificates of mutual TLS itself, whether cert-manager is installed or not. */
  readonly issuesMtlsCertificates: boolean;
  /** Holds the token that is shown to clusters which take Kubernetes tokens; absent: those are not asked. */
  readonly rayTokenFile: string | undefined;
  /** Value of the label `app.kubernetes.io/name` of the operator's own pods, by which NetworkPolicies know it. */
  readonly operatorAppName: string;
  /** Submitters that the operator itself specifies request CPU and memory of their node. */
  readonly submitterRequests: boolean;
  /** Sentences for the log about values that weren't understood and count as not set. */
  readonly notes: readonly string[];
}

/**
 * Reads the operator's environment variables. Switches that are on unless told otherwise understand only `false`, those
 * that are off understand only `true`, in any case of letters; webhooks insist on lower case.
 */
export function readOperatorEnv(env: Environment): OperatorEnv {
  const notes: string[] = [];
  const on = (name: string): boolean => env[name]?.toLowerCase() === 'true';
  const notOff = (name: string): boolean => env[name]?.toLowerCase() !== 'false';
  const seconds = (name: string, fallback: number): number => {
    const text = env[name] ?? '';
    if (text === '') return fallback;
    const number = parseGoInt(text);
    if (number.ok) return number.value;
    notes.push(`${name} is ${text}, which is not a whole number of seconds; using ${fallback}.`);
    return fallback;
  };
  const quantity = (name: string): string | undefined => {
    const text = env[name] || undefined;
    if (text === undefined || parseQuantity(text).ok) return text;
    notes.push(`${name} is ${text}, which is not a quantity such as 500m or 1Gi; it counts as not set.`);
    return undefined;
  };
  return {
    webhooks: env[OperatorEnvName.EnableWebhooks] === 'true',
    webhookCertSecret: env[OperatorEnvName.WebhookCertSecret] || undefined,
    clusterDomain: env[OperatorEnvName.ClusterDomain] || DEFAULT_CLUSTER_DOMAIN,
    initContainerInjection: notOff(OperatorEnvName.EnableInitContainerInjection),
    probesInjection: notOff(OperatorEnvName.EnableProbesInjection),
    loginShell: on(OperatorEnvName.EnableLoginShell),
    deterministicHeadPodName: on(OperatorEnvName.EnableDeterministicHeadPodName),
    rayHeadClusterIpService: on(OperatorEnvName.EnableRayHeadClusterIpService),
    gcsFtRedisCleanup: notOff(OperatorEnvName.EnableGcsFtRedisCleanup),
    randomPodDelete: on(OperatorEnvName.EnableRandomPodDelete),
    zeroDowntime: notOff(OperatorEnvName.EnableZeroDowntime),
    ingressOnOpenShift: on(OperatorEnvName.UseIngressOnOpenShift),
    deleteRayJobAfterJobFinishes: on(OperatorEnvName.DeleteRayJobAfterJobFinishes),
    rayClusterRequeueSeconds: seconds(
      OperatorEnvName.RayClusterRequeueSeconds,
      DefaultSeconds.RayClusterUnconditionalRequeue,
    ),
    rayJobTransitionGracePeriodSeconds: seconds(
      OperatorEnvName.RayJobTransitionGracePeriodSeconds,
      DefaultSeconds.RayJobTransitionGracePeriod,
    ),
    rayJobStatusCheckTimeoutSeconds: seconds(
      OperatorEnvName.RayJobStatusCheckTimeoutSeconds,
      DefaultSeconds.RayJobStatusCheckTimeout,
    ),
    workerDrainSeconds: seconds(OperatorEnvName.WorkerDrainSeconds, 0),
    headDisruptionBudget: on(OperatorEnvName.EnableHeadDisruptionBudget),
    deletesByRestartPolicy: on(OperatorEnvName.DeletePodsByRestartPolicy),
    upgradeCapacityCheck: on(OperatorEnvName.EnableUpgradeCapacityCheck),
    issuesMtlsCertificates: on(OperatorEnvName.IssueMtlsCertificates),
    operatorAppName: env[OperatorEnvName.OperatorAppName] || DEFAULT_OPERATOR_APP_NAME,
    rayTokenFile: env[OperatorEnvName.RayTokenFile] || undefined,
    submitterRequests: notOff(OperatorEnvName.SubmitterRequests),
    redisCleanupCpu: quantity(OperatorEnvName.RedisCleanupCpu),
    redisCleanupMemory: quantity(OperatorEnvName.RedisCleanupMemory),
    notes,
  };
}
