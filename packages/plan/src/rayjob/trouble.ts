import { JobDeploymentStatus, RayClusterConditionType, RayJobEventReason, type RayJobStatus } from '@manta/api';
import { type Action, warning } from '../plan.ts';
import { lastWords, shortened } from '../shared/last-words.ts';
import { pipFailure } from '../shared/pip-failure.ts';
import { firstTroubled, troubleInWords } from '../shared/pod-trouble.ts';
import type { JobState } from './state.ts';

const MAX_LENGTH = 1024;
const CLUSTER = 'The cluster does not come up: ';
const SUBMITTER = 'The submitter does not start: ';

/** For the status message: why the cluster is not ready; undefined if no reason is known. */
export function clusterTrouble({ blockedPods, cluster }: JobState): string | undefined {
  const failure = cluster?.status?.conditions?.find(
    ({ type, status }) => type === RayClusterConditionType.ReplicaFailure && status === 'True',
  );
  if (failure !== undefined) return shortened(`${CLUSTER}${failure.message}`, MAX_LENGTH);
  const first = firstTroubled(blockedPods);
  if (first === undefined) return undefined;
  const others = blockedPods.length - 1;
  const more = others === 0 ? '' : ` (and ${others} more)`;
  return shortened(`${CLUSTER}pod ${first.name}${more}: ${troubleInWords(first, cluster)}`, MAX_LENGTH);
}

/** For the status message: why the pod of the submitter Job does not start; undefined if it does. */
export function submitterTrouble({ submitterPod }: JobState): string | undefined {
  return submitterPod === undefined
    ? undefined
    : shortened(`${SUBMITTER}pod ${submitterPod.name}: ${submitterPod.trouble}`, MAX_LENGTH);
}

/** The message if it reports a submitter's trouble: users wait for it, and it ends with the trouble. */
export function reportedSubmitterTrouble({ message }: RayJobStatus): string | undefined {
  return message?.startsWith(SUBMITTER) === true ? message : undefined;
}

/** Warning events for what the new status reports and the stored one does not. Each trouble is reported once, however many pods have it. */
export function troubleEvents(before: RayJobStatus, after: RayJobStatus | undefined): readonly Action[] {
  if (after === undefined) return [];
  if (hasFailed(after) && !hasFailed(before)) return [event(RayJobEventReason.RayJobFailed, failureNote(after))];
  const trouble = troubleIn(after);
  if (trouble === undefined || trouble.note === troubleIn(before)?.note) return [];
  return [event(trouble.reason, trouble.note)];
}

function troubleIn({
  message = '',
}: RayJobStatus): { readonly reason: RayJobEventReason; readonly note: string } | undefined {
  if (message.startsWith(SUBMITTER)) return { reason: RayJobEventReason.SubmitterNotStarted, note: message };
  if (!message.startsWith(CLUSTER)) return undefined;
  return { reason: RayJobEventReason.RayClusterNotReady, note: message.replace(/ \(and \d+ more\): /, ': ') };
}

function hasFailed({ jobDeploymentStatus }: RayJobStatus): boolean {
  const { Failed, Retrying } = JobDeploymentStatus;
  return jobDeploymentStatus === Failed || jobDeploymentStatus === Retrying;
}

function failureNote({ jobDeploymentStatus, reason, message = '' }: RayJobStatus): string {
  const [line = ''] = message.split('\n');
  const first = line.replace(/:\s*$/, '');
  // A sentence of ours says it all.
  const last = pipFailure(message) === first ? '' : lastWords(message);
  const parts = [first, last].filter((words, at) => words !== '' && (at === 0 || !first.includes(words)));
  const note = [reason ?? 'Failed', ...parts].join(': ');
  const isRetried = jobDeploymentStatus === JobDeploymentStatus.Retrying;
  return isRetried ? `${note.replace(/\.$/, '')}. The operator retries the job.` : note;
}

function event(reason: RayJobEventReason, note: string): Action {
  return { type: 'event', event: warning(reason, 'Reconcile', note) };
}
