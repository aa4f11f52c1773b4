/** Keys of the annotations that we set or read. */
export const Annotation = {
  /** On a RayCluster the old switch for GCS fault tolerance (`true` in any case); on the head pod the result. */
  FtEnabled: 'ray.io/ft-enabled',
  ExternalStorageNamespace: 'ray.io/external-storage-namespace',
  GcsFtDeletionTimeout: 'ray.io/gcs-ft-deletion-timeout',
  OverwriteContainerCommand: 'ray.io/overwrite-container-cmd',
  EnableServeService: 'ray.io/enable-serve-service',
  InitializingTimeout: 'ray.io/initializing-timeout',
  /** Ours alone: how long an upgrade of a RayService may go without progress before it is rolled back. */
  UpgradeProgressDeadline: 'ray.io/upgrade-progress-deadline',
  /** Ours alone: an HTTPRoute of the user's in which only the backends of this RayService are kept up to date. */
  AdoptedHttpRoute: 'ray.io/http-route',
  /** Ours alone: `true` where a RayService keeps its serve Service also while traffic moves in steps. */
  StableServeService: 'ray.io/stable-serve-service',
  /** Ours alone: names the upgrade that was rolled back, so that it is not tried again. */
  FailedUpgrade: 'ray.io/failed-upgrade',
  DisableProvisionedHeadRestart: 'ray.io/disable-provisioned-head-restart',
  SpecHash: 'ray.io/hash-without-replicas-and-workers-to-delete',
  WorkerGroupCount: 'ray.io/num-worker-groups',
  OperatorVersion: 'ray.io/kuberay-version',
  RecreateHash: 'ray.io/upgrade-strategy-recreate-hash',
  /** Ours alone: so many seconds a worker that goes may take to finish its work; 0 for none. */
  WorkerDrainSeconds: 'ray.io/worker-drain-seconds',
  /** Ours alone: `false` where evictions may take the head although the installation protects heads. */
  HeadDisruptionBudget: 'ray.io/head-disruption-budget',
  /** Ours alone: what the Job that cleans Redis asks for. */
  RedisCleanupCpu: 'ray.io/redis-cleanup-cpu',
  RedisCleanupMemory: 'ray.io/redis-cleanup-memory',
  /** Ours alone, on a RayJob: `true` makes a new attempt wait until every pod of the one before is gone. */
  WaitForOldPods: 'ray.io/wait-for-old-pods',
  /** Ours alone, on a RayJob: what became of an attempt, where the installed CRD has no `status.attempts`. */
  LastAttempt: 'ray.io/last-attempt',
  /** Ours alone: `none` where a RayCluster goes without the security profile of the installation. */
  SecurityProfile: 'ray.io/security-profile',
  /** Ours alone: the uid of the RayCluster that the secure profile was written into. */
  SecuredUid: 'ray.io/secured-uid',
  /** Ours alone, on the Secret of a certificate that we have issued: what it is for, when it ends, who signed it. */
  TlsNames: 'ray.io/tls-names',
  TlsNotAfter: 'ray.io/tls-not-after',
  TlsAuthority: 'ray.io/tls-authority',
  /** Ours alone: when a certificate was renewed because it ran out; pods carry that of the one they have, and its authority. */
  TlsRenewedAt: 'ray.io/tls-renewed-at',
  /** Ours alone: when the certificate before a renewed one ends. */
  TlsFormerNotAfter: 'ray.io/tls-former-not-after',
  /** Ours alone: pods that are older than this, and do not say which authority they trust, trust one that is gone. */
  TlsAuthoritySince: 'ray.io/tls-authority-since',
  CronJobScheduledTimestamp: 'ray.io/cronjob-scheduled-timestamp',
  /** Moved to `spec.ingressClassName` of the Ingress that we build. */
  IngressClass: 'kubernetes.io/ingress.class',
} as const;
