import {
  MtlsEventReason,
  NetworkPolicyEventReason,
  RayClusterEventReason,
  RayCronJobEventReason,
  RayJobEventReason,
  RayServiceEventReason,
  SharedEventReason,
} from '../../../packages/api/src/events.ts';

type Reasons = Readonly<Record<string, string>>;

const GROUPS: readonly (readonly [title: string, reasons: Reasons])[] = [
  ['RayCluster', RayClusterEventReason],
  ['RayJob', RayJobEventReason],
  ['RayService', RayServiceEventReason],
  ['RayCronJob', RayCronJobEventReason],
  ['Services, Ingresses, accounts and roles of all kinds', SharedEventReason],
  ['NetworkPolicies', NetworkPolicyEventReason],
  ['Mutual TLS', MtlsEventReason],
];

/** Meanings of reasons that their names do not give. */
const MEANINGS: Readonly<Record<string, string>> = {
  CreatedHeadPod: 'The operator created the head pod.',
  ForceDeletedStuckCluster: 'The Redis cleanup took too long; the message names the storage namespace that remains.',
  DeletedPod: 'The operator deleted pods of a suspended or recreated cluster.',
  PodNotStarting: 'Pods cannot start; the message names the first one and the cause.',
  ServeApplicationFailed: 'A Serve application fails; the message has the last line of its error.',
  FeatureGateOff: 'The feature gate of the kind is off; the message names it.',
  MultipleHeadPods: 'The cluster has two head pods; the message names them.',
  RedisStateLeftBehind:
    'The cluster was deleted and its state remains in Redis; the message names the storage namespace.',
  ReplacementDelayed: 'Pods fail repeatedly; their replacement is delayed.',
  SharedObjectNames: 'Another cluster uses the objects of this name; a suspension gives this cluster its own.',
  SecuredRayCluster: 'The secure profile was applied to the cluster.',
  RayJobFailed: 'The job failed; the message has the reason.',
  RayClusterNotReady: 'The cluster of the job does not start; the message has the cause.',
  SubmitterNotStarted: 'The submitter of the job does not start; the message has the cause.',
  RayClusterNotFound: 'The RayCluster of the job does not exist.',
  BatchSchedulerCleanedUp: 'The pod group of the job was released.',
  FailedToCleanupBatchScheduler: 'The pod group of the job could not be released.',
  SuspendedRayCronJob: 'The schedule is suspended.',
  FailedToCreateRayJob: 'The RayJob of a scheduled time could not be created.',
  JobAlreadyActive: 'A time was skipped because the former RayJob still runs (`Forbid`).',
  MissSchedule: 'A time was missed, or the schedule never occurs.',
  TooManyMissedTimes: 'More than 100 times were missed; only the last 100 are made up for.',
  RayServiceInitializingTimeout: 'The service did not become ready in time and gave up.',
  RollbackImpossible: 'A reverted upgrade cannot go back, e.g. because the former cluster no longer exists.',
  GatewayApiNotFound: 'The incremental strategy needs the Gateway API.',
  UpgradeRolledBack: 'An upgrade made no progress within its deadline.',
  UpgradeHeldUp: 'An upgrade waits; the message says for what.',
  UpgradeLacksRoom: 'The nodes lack room for a second cluster.',
  AutoscalerServiceAccountNotFound: 'The ServiceAccount that the head names does not exist.',
  NetworkPolicyNameCollision: 'Another object has the name of a NetworkPolicy of this cluster.',
  MTLSPKIReady: 'All certificates of the cluster exist.',
  MTLSCertsNotReady: 'The cluster waits for certificates.',
  MTLSFailedToReconcile: 'Certificates could not be created or updated.',
  MTLSCertificatesUpdated: 'Certificates got new addresses.',
  MTLSCertificateExpiringSoon: 'A certificate expires within a day, and its pods have to be restarted.',
};

const WARNINGS =
  /^(?:Failed|Invalid|Force|Multiple|RedisState|Replacement|Shared|TooMany|Miss|UpgradeR|UpgradeH|UpgradeL|Gateway|Rollback|PodNotS|FeatureGate)|NotFound|NotReady|NotStarted|JobFailed|ApplicationFailed|Timeout|Collision|ExpiringSoon|FailedTo/;

/** docs/reference/events.md */
export function eventsPage(): string {
  const sections = GROUPS.flatMap(([title, reasons]) => {
    const rows = Object.values(reasons).map(
      (reason) => `| \`${reason}\` | ${WARNINGS.test(reason) ? 'Warning' : 'Normal'} | ${meaningOf(reason)} |`,
    );
    return [`## ${title}`, ['| Reason | Usual type | Meaning |', '| --- | --- | --- |', ...rows].join('\n')];
  });
  return [
    '# Events',
    'Generated from `packages/api/src/events.ts` by `npm run reference`; do not edit. `kubectl describe` shows the events of an object, `kubectl ray events NAME` also those of its cluster and pods. Events that still hold are not repeated at every reconcile.',
    ...sections,
    '',
  ].join('\n\n');
}

/** Throws for a reason that neither its name nor {@link MEANINGS} explains. */
function meaningOf(reason: string): string {
  const known = MEANINGS[reason];
  if (known !== undefined) return known;
  const [, failed, verb = '', subject = ''] =
    /^(FailedTo)?(Created|Updated|Deleted|Create|Update|Delete)([A-Z].*)$/.exec(reason) ?? [];
  if (failed !== undefined)
    return `The operator could not ${verb.toLowerCase()} ${words(subject)}; the message has the cause.`;
  if (verb !== '') return `The operator ${verb.toLowerCase()} ${words(subject)}.`;
  const [, invalid] = /^Invalid(?:Ray\w+?)(Spec|Metadata|Status)$/.exec(reason) ?? [];
  if (invalid !== undefined) return `The ${invalid.toLowerCase()} is invalid; the message names the field.`;
  throw new Error(`tools/generate/reference/events.ts has no meaning for the event reason ${reason}`);
}

/** `HeadPodServeLabel` → `a head pod serve label`; names of kinds keep their capitals. */
function words(subject: string): string {
  if (subject === 'ServeApplications') return 'the Serve applications';
  if (subject.endsWith('PodCollection')) return 'pods';
  const kinds = /^(?:Ray\w+|HTTPRoute|PVC|ServiceAccount|Role\w*|NetworkPolicy|Gateway|Ingress|Route|Service)$/;
  const spaced = subject
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .replace('redis', 'Redis');
  const name = kinds.test(subject) ? subject : spaced;
  return `${/^[aeiou]/i.test(name) ? 'an' : 'a'} ${name}`;
}
