/** Keys of the labels that we set or read. */
export const Label = {
  /** Name of the RayCluster; also the key that `clusterSelector` of a RayJob must hold. */
  Cluster: 'ray.io/cluster',
  NodeType: 'ray.io/node-type',
  /** `headgroup`, `submittergroup` or the name of a worker group. */
  Group: 'ray.io/group',
  IsRayNode: 'ray.io/is-ray-node',
  Identifier: 'ray.io/identifier',
  Serve: 'ray.io/serve',
  HeadlessWorkerService: 'ray.io/headless-worker-svc',
  OriginatedFromCrName: 'ray.io/originated-from-cr-name',
  OriginatedFromCrd: 'ray.io/originated-from-crd',
  JobSubmissionMode: 'ray.io/job-submission-mode',
  CronJobName: 'ray.io/cronjob-name',
  ReplicaName: 'ray.io/worker-group-replica-name',
  ReplicaIndex: 'ray.io/worker-group-replica-index',
  ReplicaHostIndex: 'ray.io/replica-host-index',
  PriorityClassName: 'ray.io/priority-class-name',
  GangSchedulingEnabled: 'ray.io/gang-scheduling-enabled',
  AppName: 'app.kubernetes.io/name',
  AppCreatedBy: 'app.kubernetes.io/created-by',
  AppComponent: 'app.kubernetes.io/component',
} as const;

/** Values of `ray.io/node-type`. */
export const NodeType = { Head: 'head', Worker: 'worker', RedisCleanup: 'redis-cleanup' } as const;
export type NodeType = (typeof NodeType)[keyof typeof NodeType];

/** Values of `ray.io/originated-from-crd`; an object without a known value counts as made for a RayCluster. */
export const OriginCrd = { RayCluster: 'RayCluster', RayJob: 'RayJob', RayService: 'RayService' } as const;
export type OriginCrd = (typeof OriginCrd)[keyof typeof OriginCrd];

/** Values of `ray.io/group` that aren't the name of a worker group. */
export const GroupName = { Head: 'headgroup', Submitter: 'submittergroup' } as const;

/** Values of labels that never vary. */
export const LabelValue = {
  IsRayNode: 'yes',
  Serving: 'true',
  NotServing: 'false',
  AppName: 'kuberay',
  /** Also what the operator selects Jobs by, so objects of another implementation are found too. */
  CreatedBy: 'kuberay-operator',
} as const;
