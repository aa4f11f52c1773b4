import {
  Annotation,
  JobDeploymentStatus,
  JobSubmissionMode,
  Label,
  NodeType,
  type RayCluster,
  type RayJob,
  serviceNames,
  type YamlParser,
} from '@manta/api';
import { isNotFound, type KubeClient, type ObjectRef, type ResourceType, resources } from '@manta/kube';
import {
  type BuildContext,
  clusterNameOf,
  endOfSubmitter,
  isBetweenTries,
  isCutOff,
  isLossInQuestion,
  type JobRecord,
  type ObservedRayJob,
  ownPods,
  type PodRecord,
  questionAbout,
  type ServiceRecord,
  type Stray,
} from '@manta/plan';
import type { RayHead, RayPoller } from '@manta/ray';
import { Interner, type ObjectKey, type ReconcileContext, refOf, toKey } from '@manta/runtime';
import type { Absences } from './absences.ts';
import { jobRecord, serviceRecord } from './child-records.ts';
import { gangRecords } from './gang-cache.ts';
import { podRecord } from './pod-record.ts';
import type { RayClusterCache } from './ray-cluster-cache.ts';
import type { HeadLookup, RayHeads } from './ray-heads.ts';
import { answerOf, commandsOf } from './rayjob-answers.ts';
import type { RayJobCache } from './rayjob-cache.ts';
import { clustersFor, straysOf } from './rayjob-strays.ts';
import type { Silences } from './silences.ts';
import { withSpareSecret } from './spare-secret.ts';
import type { SubmitterEnds } from './submitter-ends.ts';
import type { UnmadeClusters } from './unmade-clusters.ts';

/** What observing needs besides the key. */
export interface RayJobObserver {
  readonly cache: RayClusterCache;
  readonly jobs: RayJobCache;
  readonly client: KubeClient;
  readonly heads: RayHeads;
  readonly poller: RayPoller;
  readonly context: BuildContext;
  readonly parseYaml: YamlParser;
  readonly now: () => number;
  /** Passes evenly, see `Clock.steady`. */
  readonly steady: () => number;
  readonly ends: SubmitterEnds;
  readonly absences: Absences;
  readonly silences: Silences;
  readonly unmade: UnmadeClusters;
  /** The id of each job that this process itself has brought to where it is submitted: nobody has submitted it before. */
  readonly handedOver: ReadonlyMap<ObjectKey, string>;
}

/** What was observed, and the head that commands go to, if there is one. */
export interface RayJobObservation {
  readonly observed: ObservedRayJob;
  readonly head: RayHead | undefined;
}

/** By this name the poller knows a job. */
export function ownerOf(key: ObjectKey): string {
  return `rayjob/${key}`;
}

/** While a job is in one of these its cluster ought to be there. */
const WITH_CLUSTER: readonly string[] = [JobDeploymentStatus.Initializing, JobDeploymentStatus.Running];

/** How often Ray is asked about a job that runs. */
const BEAT_MS = 3000;

interface Core {
  readonly job: RayJob;
  readonly cluster: RayCluster | undefined;
  readonly heads: readonly PodRecord[];
  readonly troubled: readonly PodRecord[];
  readonly podCount: number;
  readonly submitter: JobRecord | undefined;
  readonly headService: ServiceRecord | undefined;
  readonly strays: readonly Stray[];
}

/** Everything a decision about this job needs; undefined when there is no such job. Ray is never waited for. */
export async function observeRayJob(
  observer: RayJobObserver,
  { key, freshness, signal }: ReconcileContext,
  repairedSince: number | undefined,
): Promise<RayJobObservation | undefined> {
  const core = await coreOf(observer, key, freshness, signal);
  if (core === undefined) return undefined;
  const seen = await look(observer, { key, signal }, core, repairedSince);
  const isInQuestion = isRunInQuestion(observer, key, seen.observed) || isLossInQuestion(seen.observed);
  if (freshness !== 'cached' || !isInQuestion) return seen;
  const read = await live(observer.client, key, signal);
  return read === undefined
    ? undefined
    : await look(observer, { key, signal }, { ...read, strays: core.strays }, repairedSince);
}

/**
 * Whether Ray does not know a job that somebody else, or we ourselves, may have given to it: our copies may then be older than the head that
 * says so, and to a new head the job goes only when that is written down.
 */
function isRunInQuestion({ handedOver }: RayJobObserver, key: ObjectKey, observed: ObservedRayJob): boolean {
  const { answer, job, submission } = observed;
  const isUnknown = answer.kind === 'answered' && answer.report === undefined;
  if (!isUnknown || job.spec?.submissionMode !== JobSubmissionMode.HTTP || submission?.state === 'running')
    return false;
  if (isBetweenTries(submission, observed.now)) return false;
  return submission !== undefined || handedOver.get(key) !== job.status?.jobId;
}

async function look(
  observer: RayJobObserver,
  { key, signal }: Pick<ReconcileContext, 'key' | 'signal'>,
  found: Core,
  repairedSince: number | undefined,
): Promise<RayJobObservation> {
  const cluster = found.cluster === undefined ? undefined : withSpareSecret(found.cluster, observer.cache);
  const core = { ...found, cluster };
  const { heads, poller, context, parseYaml } = observer;
  // What was asked for an attempt that is over, or for another job of this name, says nothing about the one that begins.
  if (!core.job.status?.jobDeploymentStatus) poller.forget(ownerOf(key));
  const lookup = await findHead(observer, core, signal);
  const now = observer.now();
  const steady = observer.steady();
  const { jobStatusCheckFailureStartTime: noted } = core.job.status ?? {};
  const isMissing = cluster === undefined && WITH_CLUSTER.includes(core.job.status?.jobDeploymentStatus ?? '');
  const seen: Omit<ObservedRayJob, 'answer'> = {
    ...core,
    now,
    missingSince: observer.absences.since(key, isMissing, now, steady),
    failingSince: observer.silences.since(key, noted, { now, steady }),
    isUnmade: observer.unmade.has(key, core.job.status ?? {}),
    address: cluster === undefined ? NOWHERE : heads.address(cluster),
    ...commandsOf(poller.results(ownerOf(key)), core.job.status?.jobId ?? ''),
    repairedSince,
    gang: gangRecords(observer.cache.gangs, key),
    context,
    parseYaml,
  };
  const known = { ...seen, endSeenAt: observer.ends.seenAt(key, endOfSubmitter(seen), now) };
  const question = questionAbout(known);
  if (question === undefined) poller.release(ownerOf(key));
  const interest = { owner: ownerOf(key), everyMs: BEAT_MS, newerThan: question?.newerThan };
  return {
    observed: { ...known, answer: answerOf(poller, lookup, question?.jobId, interest, now) },
    head: lookup?.isFound === true ? lookup.head : undefined,
  };
}

/** What a copy of the job takes for a stray, the job itself may already name: then it is read from the server. */
async function coreOf(
  observer: RayJobObserver,
  key: ObjectKey,
  freshness: ReconcileContext['freshness'],
  signal: AbortSignal,
): Promise<Core | undefined> {
  const job = observer.jobs.get(key);
  const clusters = job === undefined ? [] : clustersFor(observer.cache, job);
  const isAsItSeems = job === undefined || straysOf(clusters, job).length === 0;
  const seen = freshness === 'cached' && isAsItSeems ? cached(observer, key) : undefined;
  const core = seen === undefined || isEndInQuestion(seen) ? await live(observer.client, key, signal) : seen;
  return core === undefined ? undefined : { ...core, strays: straysOf(clusters, core.job) };
}

/** That no pod of an attempt is left has to be sure where its user wants no two attempts side by side. */
function isEndInQuestion({ job, cluster, podCount }: Pick<Core, 'job' | 'cluster' | 'podCount'>): boolean {
  const { Retrying, Suspending } = JobDeploymentStatus;
  const stage = job.status?.jobDeploymentStatus;
  const isTakenDown = (stage === Retrying || stage === Suspending) && cluster === undefined && podCount === 0;
  return isTakenDown && job.metadata?.annotations?.[Annotation.WaitForOldPods] === 'true';
}

const NOWHERE = { isFound: false, why: 'there is no cluster yet' } as const;

/** Only a job that runs, or may still run though it has failed or is being deleted, has something to say to its head. */
async function findHead(
  { heads }: RayJobObserver,
  { job, cluster, submitter }: Pick<Core, 'job' | 'cluster' | 'submitter'>,
  signal: AbortSignal,
): Promise<HeadLookup | undefined> {
  const { jobDeploymentStatus, dashboardURL } = job.status ?? {};
  const isLeaving = job.metadata?.deletionTimestamp !== undefined;
  const isCut = isCutOff(job.status ?? {});
  const isOfInterest = jobDeploymentStatus === JobDeploymentStatus.Running || isLeaving || isCut;
  // A submitter may have submitted before anybody wrote down where that is.
  const isInHead = isCut && job.spec?.submissionMode === JobSubmissionMode.Sidecar;
  const isKnown = dashboardURL !== undefined || isInHead || submitter !== undefined;
  if (cluster === undefined || !isKnown || !isOfInterest) return undefined;
  return await heads.find(cluster, { address: dashboardURL, signal, isFresh: isLeaving });
}

function cached({ cache, jobs }: RayJobObserver, key: ObjectKey): Omit<Core, 'strays'> | undefined {
  const job = jobs.get(key);
  if (job === undefined) return undefined;
  const { namespace, clusterKey, serviceKey } = keysOf(job);
  const cluster = clusterKey === undefined ? undefined : cache.clusters.get(clusterKey);
  const pods = clusterKey === undefined ? [] : cache.pods.by('cluster', clusterKey);
  return {
    job,
    cluster,
    ...podsOf(cluster, pods),
    submitter: cache.jobs.get(toKey(namespace, job.metadata?.name ?? '')),
    headService: cache.services.get(serviceKey),
  };
}

/** The cache has not shown our own writes in time, so what matters is read from the server itself. */
async function live(
  client: KubeClient,
  key: ObjectKey,
  signal: AbortSignal,
): Promise<Omit<Core, 'strays'> | undefined> {
  const { namespace = '', name } = refOf(key);
  const read = <T extends object>(type: ResourceType<T>, ref: ObjectRef) =>
    unlessMissing(client.get(type, ref, { signal }));
  const job = await read(resources.rayJobs, { namespace, name });
  if (job === undefined) return undefined;
  const cluster = clusterNameOf(job);
  const labelSelector = `${Label.Cluster}=${cluster}`;
  const [found, submitter, service, pods] = await Promise.all([
    cluster === undefined ? undefined : read(resources.rayClusters, { namespace, name: cluster }),
    read(resources.jobs, { namespace, name }),
    read(resources.services, { namespace, name: serviceNames.head(name) }),
    cluster === undefined ? undefined : client.list(resources.pods, { namespace, labelSelector, signal }),
  ]);
  const intern = new Interner();
  const records = (pods?.items ?? []).map((pod) => podRecord(pod, intern));
  return {
    job,
    cluster: found,
    ...podsOf(found, records),
    submitter: submitter === undefined ? undefined : jobRecord(submitter),
    headService: service === undefined ? undefined : serviceRecord(service, new Interner()),
  };
}

/** Pods that the cluster does not control only carry its labels. Once it no longer exists, what is left of it is known by the labels alone. */
function podsOf(
  cluster: RayCluster | undefined,
  labelled: readonly PodRecord[],
): Pick<Core, 'heads' | 'troubled' | 'podCount'> {
  const pods = cluster === undefined ? labelled : ownPods({ cluster, pods: labelled });
  return { heads: pods.filter(isHead), troubled: pods.filter(isTroubled), podCount: pods.length };
}

async function unlessMissing<T>(found: Promise<T>): Promise<T | undefined> {
  try {
    return await found;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

function keysOf(job: RayJob) {
  const { namespace = '', name = '' } = job.metadata ?? {};
  const cluster = clusterNameOf(job);
  return {
    namespace,
    clusterKey: cluster === undefined ? undefined : toKey(namespace, cluster),
    serviceKey: toKey(namespace, serviceNames.head(name)),
  };
}

function isHead({ nodeType }: PodRecord): boolean {
  return nodeType === NodeType.Head;
}

function isTroubled({ trouble, isTerminating }: PodRecord): boolean {
  return trouble !== undefined && !isTerminating;
}
