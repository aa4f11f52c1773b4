import { JobDeploymentStatus, RayClusterConditionType, RayJobEventReason, type RayJobStatus } from '@manta/api';
import { type Action, warning } from '../plan.ts';
import { lastWords, shortened } from '../shared/last-words.ts';
import { pipFailure } from '../shared/pip-failure.ts';
import { firstTroubled, troubleInWords, UNSCHEDULED } from '../shared/pod-trouble.ts';
import type { JobState } from './state.ts';

const MAX_LENGTH = 1024;
/** Of the first line of a message, so that the last words fit into an event. */
const MAX_FIRST = 500;
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

/**
 * Warning events for what the new status reports and the stored one does not. Each trouble is reported once, however many pods have it. The
 * scheduler's message changes with every node that comes or goes, and the room on nodes is added to it later: neither is another trouble.
 */
export function troubleEvents(before: RayJobStatus, after: RayJobStatus | undefined): readonly Action[] {
  if (after === undefined) return [];
  if (hasFailed(after) && !hasFailed(before)) return [event(RayJobEventReason.RayJobFailed, failureNote(after))];
  const trouble = troubleIn(after);
  if (trouble === undefined || trouble.what === troubleIn(before)?.what) return [];
  return [event(trouble.reason, trouble.note)];
}

interface Trouble {
  readonly reason: RayJobEventReason;
  readonly note: string;
  /** The note without what changes while the trouble stays the same. */
  readonly what: string;
}

function troubleIn({ message = '' }: RayJobStatus): Trouble | undefined {
  const trouble = (reason: RayJobEventReason, note: string): Trouble => {
    const [what = ''] = note.split(UNSCHEDULED);
    return { reason, note, what };
  };
  if (message.startsWith(SUBMITTER)) return trouble(RayJobEventReason.SubmitterNotStarted, message);
  if (!message.startsWith(CLUSTER)) return undefined;
  return trouble(RayJobEventReason.RayClusterNotReady, message.replace(/ \(and \d+ more\): /, ': '));
}

function hasFailed({ jobDeploymentStatus }: RayJobStatus): boolean {
  const { Failed, Retrying } = JobDeploymentStatus;
  return jobDeploymentStatus === Failed || jobDeploymentStatus === Retrying;
}

function failureNote({ jobDeploymentStatus, reason, message = '' }: RayJobStatus): string {
  const [line = ''] = message.split('\n');
  const last = lastWords(message);
  const first = shortened(line, MAX_FIRST).replace(/:\s*$/, '');
  // The first line says it all if it is a sentence of ours, or if the last words are taken from it.
  const isWhole = pipFailure(message) === line || last === lastWords(line) || first.includes(last);
  const parts = [first, isWhole ? '' : last].filter((words) => words !== '');
  const note = [reason ?? 'Failed', ...parts].join(': ');
  const isRetried = jobDeploymentStatus === JobDeploymentStatus.Retrying;
  return isRetried ? `${note.replace(/\.$/, '')}. The operator retries the job.` : note;
}

function event(reason: RayJobEventReason, note: string): Action {
  return { type: 'event', event: warning(reason, 'Reconcile', note) };
}
