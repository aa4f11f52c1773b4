/** Seconds until a controller looks again while it waits for something without a watch. */
export const RequeueSeconds = {
  RayCluster: 2,
  RayJob: 3,
  RayService: 2,
  RayCronJob: 3,
  Mtls: 30,
  /** mTLS looks at expiring certificates this often even when all is well. */
  MtlsPeriodic: 60,
} as const;

/** Delays in seconds that apply where neither the object nor the operator's environment says otherwise. */
export const DefaultSeconds = {
  /** A RayCluster is looked at again after this time, whatever happens. */
  RayClusterUnconditionalRequeue: 300,
  RayServiceOldClusterDeletion: 60,
  /** The Redis cleanup finalizer is removed by force after this time. */
  GcsFtFinalizerTimeout: 300,
  /** How long a finished submitter may leave the Ray job unfinished before the job counts as failed. */
  SubmitterFinishedTimeout: 30,
  RayJobTransitionGracePeriod: 300,
  RayJobStatusCheckTimeout: 300,
  DashboardTimeout: 2,
  DashboardTimeoutThroughApiServer: 10,
  /** How long the submitter waits for the GCS behind the dashboard. */
  SubmitterGcsHealthTimeout: 10,
} as const;
