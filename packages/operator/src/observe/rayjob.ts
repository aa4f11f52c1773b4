import type { YamlParser } from '@manta/api';
import type { BuildContext, ObservedRayJob, RayJobNeeds } from '@manta/plan';
import type { RayHead, RayPoller } from '@manta/ray';
import type { ObjectKey, ReconcileContext } from '@manta/runtime';
import { gangRecords } from './gang-cache.ts';
import type { RayHeads } from './ray-heads.ts';
import { answerOf, commandsOf } from './rayjob-answers.ts';
import { type RayJobObjectSources, rayJobObjects } from './rayjob-objects.ts';
import { withSpareSecret } from './spare-secret.ts';

/** What observing needs besides the key. */
export interface RayJobObserver extends RayJobObjectSources {
  readonly heads: RayHeads;
  readonly poller: RayPoller;
  readonly context: BuildContext;
  readonly parseYaml: YamlParser;
  readonly now: () => number;
  /** Never jumps, see `Clock.steady`. */
  readonly steady: () => number;
}

/** A job, and the head that its commands go to once `readFromRay` has found one. */
export interface RayJobObservation extends ObservedRayJob {
  readonly head?: RayHead | undefined;
}

/** The name under which the poller keeps questions and commands of a job. */
export function pollerOwner(key: ObjectKey): string {
  return `rayjob/${key}`;
}

/** How often Ray is asked about a running job. */
const POLL_MS = 3000;

const NO_CLUSTER = { isFound: false, why: 'there is no cluster yet' } as const;

/** Everything that is known about a job without asking Ray; undefined if the job does not exist. */
export async function observeRayJob(
  observer: RayJobObserver,
  context: Pick<ReconcileContext, 'key' | 'freshness' | 'signal'>,
): Promise<RayJobObservation | undefined> {
  const { key } = context;
  const objects = await rayJobObjects(observer, context);
  if (objects === undefined) return undefined;
  const { job } = objects;
  const cluster = objects.cluster === undefined ? undefined : withSpareSecret(objects.cluster, observer.cache);
  // Answers for a former attempt, or for a deleted job with the same name, say nothing about the attempt that starts now.
  if (!job.status?.jobDeploymentStatus) observer.poller.forget(pollerOwner(key));
  return {
    ...objects,
    cluster,
    now: observer.now(),
    steady: observer.steady(),
    address: cluster === undefined ? NO_CLUSTER : observer.heads.address(cluster),
    answer: { kind: 'unasked' },
    ...commandsOf(observer.poller.results(pollerOwner(key)), job.status?.jobId ?? ''),
    gang: gangRecords(observer.cache.gangs, key),
    context: observer.context,
    parseYaml: observer.parseYaml,
  };
}

/** Adds Ray's last answer, and the head itself for commands. The poller asks in the background: nothing here waits for Ray. */
export async function readFromRay(
  { heads, poller, now }: RayJobObserver,
  observed: RayJobObservation,
  { head: needed, question }: RayJobNeeds,
  { key, signal }: Pick<ReconcileContext, 'key' | 'signal'>,
): Promise<RayJobObservation> {
  const { cluster } = observed;
  const lookup =
    cluster === undefined || needed === undefined ? undefined : await heads.find(cluster, { ...needed, signal });
  if (question === undefined) poller.release(pollerOwner(key));
  const interest = { owner: pollerOwner(key), everyMs: POLL_MS, newerThan: question?.newerThan };
  return {
    ...observed,
    answer: answerOf(poller, lookup, question?.jobId, interest, now()),
    head: lookup?.isFound === true ? lookup.head : undefined,
  };
}
