import type { StoredObject } from '@manta/engine';
import type { History } from '../history.ts';
import { asJob, isGoing, ownerOf, SHARED, STORED } from './stage.ts';

/** What is still missing: every job has ended or rests, and what it used is gone. */
export function goal(history: History): string | undefined {
  if (!history.list(STORED.clusters).some(({ metadata }) => metadata.name === SHARED)) return `${SHARED} is gone`;
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
  // Of two operators at once, or from a create that outlived its sender, a cluster of an earlier attempt may be left; it goes with the job.
  const { overlaps, doubtfulWrites } = history.facts;
  const isMeant = (name: string) => overlaps + doubtfulWrites === 0 || name === status?.rayClusterName;
  const hasCluster = history
    .list(STORED.clusters)
    .some((cluster) => ownerOf(cluster) === metadata.uid && isMeant(cluster.metadata.name));
  if (stage === 'Suspended') return spec?.suspend === true && !hasCluster ? undefined : 'is suspended';
  if (stage !== 'Complete' && stage !== 'Failed') return `is ${stage}`;
  return hasCluster && spec?.shutdownAfterJobFinishes === true ? 'has ended and its cluster is still there' : undefined;
}
