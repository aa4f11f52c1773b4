import { Annotation, Finalizer, Label, type RayJobStatus } from '@manta/api';
import type { StoredObject } from '@manta/apiserver';
import { hasEnded, isAllowedPair, isTerminalState } from '../../../packages/plan/src/rayjob/status-pairs.ts';
import type { History, Invariant, SimEvent } from '../history.ts';
import { BY_HAND } from './by-hand.ts';
import { endOf, type Entry, isAlive, ledgerOf } from './ledger.ts';
import { CLOCK } from './operator-clock.ts';
import { asJob, isGoing, ownerOf, SHARED, STORED } from './stage.ts';

/** What must be true after every step, whatever happened before it. */
export const INVARIANTS: Readonly<Record<string, Invariant>> = {
  'nothing runs that was not written down first': writtenDownFirst,
  'no cluster is made that was not written down first': clusterWrittenDownFirst,
  'no attempt runs twice without a word of it': oneRunPerAttempt,
  'what the status says of Ray is what Ray did': tellsTheTruth,
  'no job fails that Ray brought to success': noFalseFailure,
  'the two statuses never contradict each other': allowedPairs,
  'what has ended stays as it ended': endsStay,
  'counters match what happened': countersMatch,
  'nothing is cleared away before the outcome is written': outcomeFirst,
  'no attempt begins before the pods of the last one are gone, where that is wanted': oneAttemptAtATime,
  'a deadline ends the job in Ray too': deadlinesStop,
  'what is not ours is left alone': leavesOthersAlone,
};

/** Every run in Ray is of an id that was in a job's status when it began. */
function writtenDownFirst(history: History): string | undefined {
  return firstOf(freshEntries(history, 'began'), ({ id }) => {
    if (id.startsWith(BY_HAND)) return undefined;
    const isKnown = history.events.some(
      ({ key, object }) => key.resource === STORED.jobs && asJob(object).status?.jobId === id,
    );
    return isKnown ? undefined : `${id} runs, and no status names it`;
  });
}

function clusterWrittenDownFirst(history: History): string | undefined {
  const made = history.fresh.filter(
    ({ key, type, by }) => key.resource === STORED.clusters && type === 'ADDED' && by === 'operator',
  );
  return firstOf(made, ({ key: { name } }) => {
    const isKnown = history.events.some(
      ({ key, object }) => key.resource === STORED.jobs && asJob(object).status?.rayClusterName === name,
    );
    return isKnown ? undefined : `${name} was made, and no status names it`;
  });
}

/**
 * A head that was replaced knows nothing of the runs before: that one begins again must have been told first. Submitters act on their
 * own, but those within heads run whatever cluster is made for them.
 */
function oneRunPerAttempt(history: History): string | undefined {
  return firstOf(freshEntries(history, 'began'), ({ id }) => {
    const job = jobWith(history, id);
    const mode = job === undefined ? undefined : asJob(job).spec?.submissionMode;
    if (mode !== 'HTTPMode' && mode !== 'SidecarMode') return undefined;
    const begun = ledgerOf(history).filter((entry) => entry.what === 'began' && entry.id === id);
    const runs = mode === 'HTTPMode' ? begun.length : new Set(begun.map(({ head }) => clusterOf(history, head))).size;
    const told = Math.max(
      ...history.events.map(({ key, object }) =>
        key.resource === STORED.jobs
          ? (asJob(object).status?.attempts ?? []).filter(({ submissionId }) => submissionId === id).length
          : 0,
      ),
    );
    // What another instance has sent may arrive after Ray was restarted: nobody can call it back, and it is told when it is seen.
    const excused = history.facts.overlaps + (mode === 'HTTPMode' ? 0 : doubtfulClusters(history));
    return runs > told + excused ? `${id} runs for the ${runs}. time, and ${told} attempts are told of` : undefined;
  });
}

/** Clusters of which nobody knows whether they were made: each may have come and gone unseen. */
function doubtfulClusters({ requests }: History): number {
  return requests.filter(
    ({ verb, plural, answer }) =>
      verb === 'create' && plural === 'rayclusters' && (answer === undefined || answer.kind === 'lost'),
  ).length;
}

/** The uid of the cluster that a head belonged to. */
function clusterOf({ events }: History, life: string): string | undefined {
  const pod = events.find(
    ({ key, object }) => key.resource === STORED.pods && life.startsWith(`${object.metadata.uid}/`),
  );
  return pod === undefined ? undefined : ownerOf(pod.object);
}

function tellsTheTruth(history: History): string | undefined {
  return firstOf(statuses(history), ({ after, before }) => {
    const { jobStatus, jobId } = after;
    if (!isTerminalState(jobStatus) || before.jobStatus === jobStatus) return undefined;
    const ends = endOf(history, jobId);
    return ends.includes(jobStatus ?? '')
      ? undefined
      : `${jobId} is told as ${jobStatus}, and Ray had [${ends.join()}]`;
  });
}

/** Deadlines, and heads that are gone, may end a job before its success is known. */
function noFalseFailure(history: History): string | undefined {
  return firstOf(statuses(history), ({ after, before, object }) => {
    const isEnd = (status: RayJobStatus) => ['Failed', 'Retrying'].includes(status.jobDeploymentStatus ?? '');
    if (!isEnd(after) || isEnd(before)) return undefined;
    const { reason, jobId = '' } = after;
    if (reason === 'DeadlineExceeded' || reason === 'JobStatusCheckTimeoutExceeded') return undefined;
    const lives = ledgerOf(history).filter((entry) => entry.id === jobId && entry.what === 'ended');
    const known = lives.find(({ status, head }) => status === 'SUCCEEDED' && isAlive(history, head));
    return known === undefined
      ? undefined
      : `${object.metadata.name} is told as failed (${reason}), ${jobId} succeeded`;
  });
}

function allowedPairs(history: History): string | undefined {
  return firstOf(statuses(history), ({ after }) =>
    isAllowedPair(after) ? undefined : `${after.jobDeploymentStatus} with ${after.jobStatus ?? 'nothing'}`,
  );
}

function endsStay(history: History): string | undefined {
  return firstOf(statuses(history), ({ before, after }) => {
    if (!hasEnded(before)) return undefined;
    const was = `${before.jobDeploymentStatus} ${before.jobStatus ?? ''}`;
    const is = `${after.jobDeploymentStatus} ${after.jobStatus ?? ''}`;
    return was === is ? undefined : `${was} became ${is}`;
  });
}

function countersMatch(history: History): string | undefined {
  return firstOf(statuses(history), ({ object, before, after }) => {
    const { succeeded = 0, failed = 0, jobDeploymentStatus, jobStatus } = after;
    if (failed < (before.failed ?? 0) || succeeded < (before.succeeded ?? 0)) return 'a counter went back';
    const isSuccess = jobDeploymentStatus === 'Complete' && jobStatus === 'SUCCEEDED';
    if (succeeded !== (isSuccess ? 1 : 0)) return `${succeeded} successes where the job is ${jobDeploymentStatus}`;
    const limit = asJob(object).spec?.backoffLimit ?? 0;
    return failed > limit + 1 ? `${failed} failures where ${limit} may be tried again` : undefined;
  });
}

function outcomeFirst(history: History): string | undefined {
  return firstOf(removals(history, STORED.clusters), (cluster) => {
    const job = history.list(STORED.jobs).find(({ metadata }) => metadata.uid === ownerOf(cluster));
    if (job === undefined || isGoing(job)) return undefined;
    const { jobDeploymentStatus: stage = '', rayClusterName } = asJob(job).status ?? {};
    // One that came too late for its attempt: what became of that has been written.
    if (rayClusterName !== cluster.metadata.name) return undefined;
    return ['Complete', 'Failed', 'Suspending', 'Retrying'].includes(stage)
      ? undefined
      : `${cluster.metadata.name} was deleted while its job was ${stage}`;
  });
}

/** A cluster that came late, by another instance or by a request that outlived its sender, may still be on its way out. */
function oneAttemptAtATime(history: History): string | undefined {
  const { doubtfulWrites, overlaps } = history.facts;
  if (doubtfulWrites + overlaps > 0) return undefined;
  const made = history.fresh.filter(({ key, type }) => key.resource === STORED.clusters && type === 'ADDED');
  return firstOf(made, ({ object: cluster }) => {
    const owner = ownerOf(cluster);
    if (cluster.metadata.annotations?.[Annotation.WaitForOldPods] !== 'true' || owner === undefined) return undefined;
    const earlier = history.events
      .filter(({ key, object }) => key.resource === STORED.clusters && ownerOf(object) === owner)
      .map(({ object }) => object.metadata.name);
    const left = history.list(STORED.pods).find(({ metadata }) => {
      const name = metadata.labels?.[Label.Cluster] ?? '';
      return name !== cluster.metadata.name && earlier.includes(name);
    });
    return left === undefined ? undefined : `${cluster.metadata.name} was made while ${left.metadata.name} was there`;
  });
}

/** So long after a deadline nothing that goes wrong goes on, and Ray has been told. */
const PATIENCE_MS = 150_000;

/** A clock that was set forward makes the operator give up telling Ray. */
function deadlinesStop(history: History): string | undefined {
  if (history.events.some(({ key }) => key.resource === STORED.configMaps && key.name === CLOCK.name)) return undefined;
  return firstOf(freshEntries(history, 'ended'), ({ id, status }) => {
    const cutOff = history.events.find(({ key, object }) => {
      const told = key.resource === STORED.jobs ? asJob(object).status : undefined;
      return told?.jobId === id && told.reason === 'DeadlineExceeded';
    });
    const lateMs = cutOff === undefined ? 0 : (history.events.at(-1)?.at ?? 0) - cutOff.at;
    return status === 'STOPPED' || lateMs < PATIENCE_MS ? undefined : `${id} went on for ${lateMs / 1000} s`;
  });
}

function leavesOthersAlone(history: History): string | undefined {
  const wrong = history.fresh.find(({ key, by, type, object, before }) => {
    if (by !== 'operator') return false;
    if (key.resource === STORED.clusters) return key.name === SHARED || type === 'MODIFIED';
    if (key.resource !== STORED.jobs || before === undefined) return false;
    const isSpecChanged = JSON.stringify(before['spec']) !== JSON.stringify(object['spec']);
    const others = ({ metadata }: StoredObject) =>
      metadata.finalizers?.filter((each) => each !== Finalizer.RayJob) ?? [];
    return isSpecChanged || others(before).join() !== others(object).join();
  });
  return wrong === undefined ? undefined : `${wrong.type} ${wrong.key.resource} ${wrong.key.name}`;
}

/** Changes of jobs' statuses by the operator. */
function statuses({ fresh }: History) {
  return fresh.flatMap(({ key, by, type, object, before }) => {
    if (key.resource !== STORED.jobs || by !== 'operator' || type !== 'MODIFIED' || before === undefined) return [];
    return [{ object, before: asJob(before).status ?? {}, after: asJob(object).status ?? {} }];
  });
}

function removals({ fresh }: History, resource: SimEvent['key']['resource']): readonly StoredObject[] {
  return fresh.flatMap(({ key, type, by, object, before }) => {
    if (key.resource !== resource || by !== 'operator' || before === undefined || isGoing(before)) return [];
    return type === 'DELETED' || isGoing(object) ? [before] : [];
  });
}

function freshEntries({ fresh }: History, what: Entry['what']): readonly Entry[] {
  return ledgerOf({ events: fresh }).filter((entry) => entry.what === what);
}

function jobWith({ events }: History, id: string): StoredObject | undefined {
  return events.findLast(({ key, object }) => key.resource === STORED.jobs && asJob(object).status?.jobId === id)
    ?.object;
}

function firstOf<Item>(items: readonly Item[], check: (item: Item) => string | undefined): string | undefined {
  for (const item of items) {
    const problem = check(item);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
