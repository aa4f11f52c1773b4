import type { StoredObject } from '@manta/apiserver';
import type { History } from '../history.ts';
import { after, latestTime, readSchedule, servedUntil } from './ledger.ts';
import { asCronJob, asJob, isGoing, LAST_TICK, ownerOf, STORED, STRANGERS } from './stage.ts';

/** What is still missing: a time to be served, or a RayJob to be cleared away. */
export function goal(history: History): string | undefined {
  const names = history.list(STORED.jobs).map(({ metadata }) => metadata.name);
  const stranger = STRANGERS.find((name) => !names.includes(name));
  if (stranger !== undefined) return `${stranger} is gone`;
  for (const cronJob of history.list(STORED.cronJobs)) {
    const missing = isGoing(cronJob) ? `${cronJob.metadata.name} is not gone` : unserved(history, cronJob);
    if (missing !== undefined) return missing;
  }
  return undefined;
}

function unserved(history: History, cronJob: StoredObject): string | undefined {
  const { spec, metadata } = asCronJob(cronJob);
  if (spec === undefined) return undefined;
  const own = history.list(STORED.jobs).filter((job) => ownerOf(job) === metadata.uid && !isGoing(job));
  const ended = (outcome: string) => own.filter((job) => asJob(job).status?.jobDeploymentStatus === outcome).length;
  if (ended('Complete') > (spec.successfulJobsHistoryLimit ?? own.length)) return 'too many completed RayJobs are kept';
  if (ended('Failed') > (spec.failedJobsHistoryLimit ?? own.length)) return 'too many failed RayJobs are kept';
  if (spec.suspend === true) return undefined;
  const lateMs = (spec.startingDeadlineSeconds ?? Number.POSITIVE_INFINITY) * 1000;
  const next = after(readSchedule(spec.schedule), servedUntil(cronJob));
  const isOpen = next <= LAST_TICK && latestTime(history) - next <= lateMs;
  return isOpen ? `${metadata.name} has not served ${new Date(next).toISOString()}` : undefined;
}
