import { Annotation } from '../../../packages/api/src/annotations.ts';
import { Label } from '../../../packages/api/src/labels.ts';

type Described = readonly [on: string, description: string];

/** Where each annotation belongs and what it does. A new annotation needs its entry here to compile. */
const ANNOTATIONS: Readonly<Record<keyof typeof Annotation, Described>> = {
  FtEnabled: ['RayCluster; head pod', '`true`: GCS fault tolerance. The older form of `gcsFaultToleranceOptions`.'],
  ExternalStorageNamespace: ['RayCluster', 'Storage namespace in Redis; the uid if absent or empty.'],
  GcsFtDeletionTimeout: ['RayCluster', 'Seconds that the Redis cleanup may block a deletion.'],
  OverwriteContainerCommand: ['RayCluster', '`true`: the template’s command starts Ray, the operator adds none.'],
  EnableServeService: ['RayCluster', '`true`: create a Service for Ray Serve.'],
  InitializingTimeout: ['RayService', 'Time after which a service that never became ready gives up.'],
  UpgradeProgressDeadline: ['RayService', 'Time without progress after which an upgrade is rolled back. Only Manta.'],
  AdoptedHttpRoute: [
    'RayService',
    "Name of the user's HTTPRoute whose backends the operator keeps up to date. Only Manta.",
  ],
  StableServeService: ['RayService', '`true`: keep the serve Service during upgrades in steps. Only Manta.'],
  FailedUpgrade: [
    'RayService',
    'Written by the operator: the upgrade that was rolled back. Remove it to retry. Only Manta.',
  ],
  DisableProvisionedHeadRestart: ['RayCluster', '`true`: a head that was provisioned once is not recreated.'],
  SpecHash: ['RayCluster of a RayService', 'Written by the operator: hash of the spec.'],
  WorkerGroupCount: ['RayCluster of a RayService', 'Written by the operator: number of worker groups.'],
  OperatorVersion: ['RayCluster, head pod', 'Written by the operator: its version.'],
  RecreateHash: ['head pod', 'Written by the operator: hash of the pod templates, for `Recreate`.'],
  WorkerDrainSeconds: ['RayCluster', 'Seconds that a deleted worker may use to finish its work; 0: none. Only Manta.'],
  HeadDisruptionBudget: ['RayCluster', '`false`: evictions may take this head. Only Manta.'],
  RedisCleanupCpu: ['RayCluster', 'CPU request of the Redis cleanup Job. Only Manta.'],
  RedisCleanupMemory: ['RayCluster', 'Memory request of the Redis cleanup Job. Only Manta.'],
  WaitForOldPods: ['RayJob', '`true`: a new attempt waits until all pods of the former one ended. Only Manta.'],
  LastAttempt: [
    'RayJob',
    'Written by the operator: the last attempt, if the CRD has no `status.attempts`. Only Manta.',
  ],
  SecurityProfile: ['RayCluster', '`none`: no secure profile for this cluster. Only Manta.'],
  SecuredUid: [
    'RayCluster',
    'Written by the operator: uid of the cluster that the secure profile was applied to. Only Manta.',
  ],
  TlsNames: ['Secret', 'Written by the operator: names in its certificate. Only Manta.'],
  TlsNotAfter: ['Secret', 'Written by the operator: end of its certificate. Only Manta.'],
  TlsAuthority: ['Secret, pod', 'Written by the operator: authority of its certificate. Only Manta.'],
  TlsRenewedAt: ['Secret, pod', 'Written by the operator: when its certificate was renewed. Only Manta.'],
  TlsFormerNotAfter: ['Secret', 'Written by the operator: end of the former certificate. Only Manta.'],
  TlsAuthoritySince: ['Secret', 'Written by the operator: since when its authority is used. Only Manta.'],
  CronJobScheduledTimestamp: ['RayJob of a RayCronJob', 'Written by the operator: the time of the schedule.'],
  IngressClass: ['RayCluster', 'Becomes `spec.ingressClassName` of the Ingress.'],
};

/** Where each label belongs and what it says. A new label needs its entry here to compile. */
const LABELS: Readonly<Record<keyof typeof Label, Described>> = {
  Cluster: ['pods, Services', 'Name of the RayCluster.'],
  NodeType: ['pods', '`head`, `worker` or `redis-cleanup`.'],
  Group: ['pods', '`headgroup`, `submittergroup` or the name of the worker group.'],
  IsRayNode: ['pods', '`yes` on head and workers.'],
  Identifier: ['pods', 'Cluster and node type in one value.'],
  Serve: ['pods', '`true` while the pod may receive requests for Ray Serve.'],
  HeadlessWorkerService: ['Service', 'Selects workers of multi-host groups.'],
  OriginatedFromCrName: ['child objects', 'Name of the custom resource that they were created for.'],
  OriginatedFromCrd: ['child objects', 'Its kind: `RayCluster`, `RayJob` or `RayService`.'],
  JobSubmissionMode: ['RayCluster of a RayJob', 'Its submission mode.'],
  CronJobName: ['RayJob', 'Name of the RayCronJob that created it.'],
  ReplicaName: ['workers', 'Replica of a multi-host group.'],
  ReplicaIndex: ['workers', 'Index of the replica in its group.'],
  ReplicaHostIndex: ['workers', 'Index of the host in its replica.'],
  PriorityClassName: ['RayCluster', 'Priority class for batch schedulers.'],
  GangSchedulingEnabled: ['RayCluster', 'Pods start together, with a batch scheduler that can do so.'],
  AppName: ['child objects', '`kuberay`.'],
  AppCreatedBy: ['child objects', '`kuberay-operator`.'],
  AppComponent: ['child objects', 'Component of the operator.'],
};

/** docs/reference/labels-and-annotations.md */
export function metadataPage(): string {
  const rows = (keys: Readonly<Record<string, string>>, described: Readonly<Record<string, Described>>) =>
    Object.entries(keys).map(([name, key]) => {
      const [on, description] = described[name] ?? ['', ''];
      return `| \`${key}\` | ${on} | ${description} |`;
    });
  return [
    '# Labels and annotations',
    'Generated from `packages/api/src/labels.ts` and `annotations.ts` by `npm run reference`; do not edit.',
    '## Annotations',
    ['| Annotation | On | Effect |', '| --- | --- | --- |', ...rows(Annotation, ANNOTATIONS)].join('\n'),
    '## Labels',
    ['| Label | On | Value |', '| --- | --- | --- |', ...rows(Label, LABELS)].join('\n'),
    '',
  ].join('\n\n');
}
