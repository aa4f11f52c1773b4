import type { StoredObject } from '@manta/apiserver';
import type { Job, RayJob } from '@manta/api';
import type { History } from '../history.ts';
import { isAlive, ledgerOf } from './ledger.ts';
import { aheadMs, CLOCK } from './operator-clock.ts';
import { asJob, isGoing, ownerOf, SHARED, STORED } from './stage.ts';

/** Longer than it takes to see that nothing moves. */
const SOON_MS = 180_000;

/** What is still missing: every job has ended or rests, and what it used is gone. */
export function goal(history: History): string | undefined {
  if (!history.list(STORED.clusters).some(({ metadata }) => metadata.name === SHARED)) return `${SHARED} is gone`;
  const ofLife = ledgerOf(history).filter(({ head }) => isAlive(history, head));
  const busy = ofLife.find(({ what, id, head }) => {
    const isOver = ofLife.some((entry) => entry.what === 'ended' && entry.id === id && entry.head === head);
    return what === 'began' && !isOver;
  });
  if (busy !== undefined) return `${busy.id} still runs in Ray`;
  const waits = history
    .list(STORED.submitters)
    .find((submitter) => (submitter as Job).status?.conditions === undefined);
  if (waits !== undefined) return `${waits.metadata.name} still submits`;
  for (const job of history.list(STORED.jobs)) {
    const missing = unfinished(history, job);
    if (missing !== undefined) return `${job.metadata.name} ${missing}`;
  }
  return undefined;
}

function unfinished(history: History, job: StoredObject): string | undefined {
  if (isGoing(job)) return 'is not gone';
  const { spec, status, metadata } = asJob(job);
  const stage = status?.jobDeploymentStatus ?? '';
  const own = history.list(STORED.clusters).filter((cluster) => ownerOf(cluster) === metadata.uid);
  const stray = own.find((cluster) => cluster.metadata.name !== status?.rayClusterName);
  if (stray !== undefined) return `has ${stray.metadata.name} of an earlier attempt`;
  const hasCluster = own.length > 0;
  if (stage === 'Suspended') return spec?.suspend === true && !hasCluster ? undefined : 'is suspended';
  if (stage === 'Running' && isLostByUser(history, asJob(job)) && !isTimeUpSoon(history, asJob(job))) return undefined;
  if (stage !== 'Complete' && stage !== 'Failed') return `is ${stage}`;
  return hasCluster && spec?.shutdownAfterJobFinishes === true ? 'has ended and its cluster is still there' : undefined;
}

/** What a user has submitted himself nobody submits again when Ray has forgotten it. */
function isLostByUser(history: History, { spec, status }: RayJob): boolean {
  const lives = ledgerOf(history).filter(({ id, what }) => id === status?.jobId && what === 'began');
  return spec?.submissionMode === 'InteractiveMode' && !lives.some(({ head }) => isAlive(history, head));
}

/** Whether a deadline is going to end the job, by the operator's clock, while the simulation looks whether it rests. */
function isTimeUpSoon(history: History, { spec, status }: RayJob): boolean {
  if (spec?.activeDeadlineSeconds === undefined || status?.startTime === undefined) return false;
  const clock = history.list(STORED.configMaps).find(({ metadata }) => metadata.name === CLOCK.name);
  const endsAt = Date.parse(status.startTime) + spec.activeDeadlineSeconds * 1000;
  return endsAt < history.now + aheadMs(clock) + SOON_MS;
}
