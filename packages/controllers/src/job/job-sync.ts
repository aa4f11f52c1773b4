import { messageOf } from '@manta/base';
import type { Job, JobStatus, Pod } from '@manta/api';
import { deepEqual } from '@manta/apiserver';
import { type Cluster, readOne, type Stored } from '../framework/cluster.ts';
import type { RequeueAfter } from '../framework/controller.ts';
import type { RecordEvent } from '../framework/event-recorder.ts';
import { jobs, pods } from '../framework/kinds.ts';
import { isNotFound } from '../framework/refusal.ts';
import {
  deadlineOf,
  endOf,
  isSuspended,
  judge,
  standingVerdict,
  trueCondition,
  type Verdict,
} from './job-conditions.ts';
import { jobPod, wantedPods } from './job-pod.ts';
import { countedStatus, countingStatus, type StatusInput } from './job-status.ts';
import { countFailures, NO_FAILURES, type PodFailures, remainingDelay } from './pod-backoff.ts';
import { isTracked, sortPods, TRACKING_FINALIZER, type TrackedPods } from './tracked-pods.ts';

/** Brings one job a step further: pods first, then the status, so that a status never promises what was not done. */
export class JobSync {
  readonly #cluster: Cluster;
  readonly #record: RecordEvent;
  readonly #podsOf: (job: Stored<Job>) => readonly Stored<Pod>[];
  /** By uid; lost with the process, after which a job's next pod comes without delay. */
  readonly #failures = new Map<string, PodFailures>();

  constructor(cluster: Cluster, record: RecordEvent, podsOf: (job: Stored<Job>) => readonly Stored<Pod>[]) {
    this.#cluster = cluster;
    this.#record = record;
    this.#podsOf = podsOf;
  }

  async run(job: Stored<Job>): Promise<RequeueAfter | undefined> {
    const now = this.#cluster.world.clock.now();
    if (job.status?.uncountedTerminatedPods === undefined) await this.#warn(job);
    const sorted = this.#sort(job, standingVerdict(job));
    const ended = countEnded(job, sorted);
    this.#learn(job, sorted);
    const verdict = judge(job, { active: sorted.active, ...ended }, now);
    const managed = await this.#managePods(job, sorted, verdict, ended.succeeded).then(
      (delay) => ({ delay }),
      (error: unknown) => ({ error }),
    );
    const written = await this.#count(job, verdict, now);
    await this.#announce(job, written, verdict);
    // A failed creation or deletion of a pod is retried; the status is written anyway.
    if ('error' in managed) throw managed.error;
    return verdict === undefined ? earliestRequeue([managed.delay, delayTo(deadlineOf(written), now)]) : undefined;
  }

  /** Lets go of the pods of a job that has ended, and of the job itself when its time is over. */
  async release(job: Stored<Job>): Promise<RequeueAfter | undefined> {
    for (const pod of this.#podsOf(job).filter(isTracked)) await this.untrack(pod);
    const { ttlSecondsAfterFinished } = job.spec ?? {};
    const end = Date.parse(endOf(job)?.lastTransitionTime ?? '');
    const { metadata } = job;
    if (ttlSecondsAfterFinished === undefined || metadata.deletionTimestamp !== undefined) return undefined;
    const afterMs = end + ttlSecondsAfterFinished * 1000 - this.#cluster.world.clock.now();
    if (afterMs > 0) return { afterMs };
    const { uid, resourceVersion } = metadata;
    const preconditions = { uid, resourceVersion };
    await this.#cluster.writes.delete(jobs, metadata, { propagation: 'Foreground', preconditions });
    return undefined;
  }

  /** Takes the tracking finalizer off a pod. */
  async untrack(pod: Stored<Pod>): Promise<void> {
    const { finalizers = [], uid } = pod.metadata;
    const kept = finalizers.filter((finalizer) => finalizer !== TRACKING_FINALIZER);
    const body = { metadata: { uid, finalizers: kept.length === 0 ? null : kept } };
    await this.#unlessGone(this.#cluster.writes.patch(pods, pod.metadata, { type: 'merge', body }));
  }

  forget(uid: string): void {
    this.#failures.delete(uid);
  }

  #sort(job: Stored<Job>, verdict: Verdict | undefined): TrackedPods {
    return sortPods(job, this.#podsOf(job), verdict?.type === 'FailureTarget');
  }

  #learn({ metadata }: Stored<Job>, { newlySucceeded, newlyFailed }: TrackedPods): void {
    if (newlySucceeded.length + newlyFailed.length === 0) return;
    const before = this.#failures.get(metadata.uid) ?? NO_FAILURES;
    this.#failures.set(metadata.uid, countFailures(before, newlySucceeded, newlyFailed));
  }

  /** Returns how long a pod that is wanted has to wait. */
  async #managePods(
    job: Stored<Job>,
    { active, terminating }: TrackedPods,
    verdict: Verdict | undefined,
    succeeded: number,
  ): Promise<number | undefined> {
    if (verdict !== undefined) {
      // Pods of a failing job are counted as failed, those of a job that has succeeded are not counted at all.
      await this.#deletePods(job, active, verdict.type === 'SuccessCriteriaMet');
      return undefined;
    }
    if (job.metadata.deletionTimestamp !== undefined) return undefined;
    const wanted = isSuspended(job) ? 0 : wantedPods(job, succeeded, active.length);
    if (active.length > wanted) await this.#deletePods(job, active.toSorted(byReadiness).slice(wanted), true);
    const blocked = job.spec?.podReplacementPolicy === 'Failed' ? terminating : 0;
    const missing = wanted - active.length - blocked;
    if (missing <= 0) return undefined;
    const failures = this.#failures.get(job.metadata.uid) ?? NO_FAILURES;
    const delay = remainingDelay(failures, this.#cluster.world.clock.now());
    if (delay > 0) return delay;
    for (let made = 0; made < missing; made += 1) await this.#createPod(job);
    return undefined;
  }

  async #createPod(job: Stored<Job>): Promise<void> {
    try {
      const pod = await this.#cluster.writes.create(pods, jobPod(job));
      await this.#record(job, 'Normal', 'SuccessfulCreate', `Created pod: ${pod.metadata?.name}`);
    } catch (error) {
      await this.#record(job, 'Warning', 'FailedCreate', `Error creating: ${messageOf(error)}`);
      throw error;
    }
  }

  async #deletePods(job: Stored<Job>, doomed: readonly Stored<Pod>[], isUncounted: boolean): Promise<void> {
    for (const pod of doomed) {
      if (isUncounted && isTracked(pod)) await this.untrack(pod);
      const { uid, name } = pod.metadata;
      await this.#unlessGone(this.#cluster.writes.delete(pods, pod.metadata, { preconditions: { uid } }));
      await this.#record(job, 'Normal', 'SuccessfulDelete', `Deleted pod: ${name}`);
    }
  }

  /** Counts the ended pods in two steps, with their finalizers removed in between; returns the job as it is then. */
  async #count(job: Stored<Job>, verdict: Verdict | undefined, nowMs: number): Promise<Stored<Job>> {
    const sorted = this.#sort(job, verdict);
    const { succeeded = [], failed = [] } = job.status?.uncountedTerminatedPods ?? {};
    const uncounted = {
      succeeded: [...succeeded, ...sorted.newlySucceeded.map(({ metadata }) => metadata.uid)],
      failed: [...failed, ...sorted.newlyFailed.map(({ metadata }) => metadata.uid)],
    };
    const input: StatusInput = { job, pods: sorted, verdict, uncounted, nowMs };
    if (uncounted.succeeded.length + uncounted.failed.length === 0) return await this.#write(job, countedStatus(input));
    const counting = await this.#write(job, countingStatus(input));
    const named = new Set([...uncounted.succeeded, ...uncounted.failed]);
    for (const pod of this.#podsOf(job)) {
      if (named.has(pod.metadata.uid) && isTracked(pod)) await this.untrack(pod);
    }
    const left = this.#sort(counting, verdict);
    return await this.#write(counting, countedStatus({ ...input, job: counting, pods: left }));
  }

  async #write(job: Stored<Job>, status: JobStatus): Promise<Stored<Job>> {
    if (deepEqual(job.status, status)) return job;
    await this.#cluster.writes.update(jobs, { ...job, status }, { subresource: 'status' });
    const { namespace = '', name } = job.metadata;
    return readOne(this.#cluster.store, jobs, namespace, name) ?? { ...job, status };
  }

  async #announce(before: Stored<Job>, after: Stored<Job>, verdict: Verdict | undefined): Promise<void> {
    const wasSuspended = trueCondition(before, 'Suspended') !== undefined;
    const isHeld = trueCondition(after, 'Suspended') !== undefined;
    if (isHeld && !wasSuspended) await this.#record(after, 'Normal', 'Suspended', 'Job suspended');
    if (!isHeld && wasSuspended) await this.#record(after, 'Normal', 'Resumed', 'Job resumed');
    if (endOf(after) === undefined || verdict === undefined) return;
    if (verdict.type === 'SuccessCriteriaMet') await this.#record(after, 'Normal', 'Completed', 'Job completed');
    else await this.#record(after, 'Warning', verdict.reason, verdict.message);
  }

  /** Says once, before anything is done, what this controller will not do. */
  async #warn(job: Stored<Job>): Promise<void> {
    const { podFailurePolicy, completionMode } = job.spec ?? {};
    if (podFailurePolicy !== undefined) {
      const message = 'spec.podFailurePolicy is not acted upon here: every failed pod counts towards spec.backoffLimit';
      await this.#record(job, 'Warning', 'PodFailurePolicyIgnored', message);
    }
    if (completionMode === 'Indexed') {
      const message = 'spec.completionMode Indexed is not acted upon here: pods get no completion index';
      await this.#record(job, 'Warning', 'CompletionModeIgnored', message);
    }
  }

  async #unlessGone(call: Promise<unknown>): Promise<void> {
    try {
      await call;
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
}

/** How many pods of a job have ended so far, whether they are counted yet or not. */
function countEnded(job: Job, { newlySucceeded, newlyFailed }: TrackedPods): { succeeded: number; failed: number } {
  const { succeeded = 0, failed = 0, uncountedTerminatedPods } = job.status ?? {};
  return {
    succeeded: succeeded + (uncountedTerminatedPods?.succeeded ?? []).length + newlySucceeded.length,
    failed: failed + (uncountedTerminatedPods?.failed ?? []).length + newlyFailed.length,
  };
}

/** Of too many pods those with the most progress stay. */
function byReadiness(a: Stored<Pod>, b: Stored<Pod>): number {
  return progress(b) - progress(a) || a.metadata.creationTimestamp.localeCompare(b.metadata.creationTimestamp);
}

function progress({ spec, status }: Pod): number {
  const isRunning = status?.phase === 'Running';
  return (spec?.nodeName === undefined ? 0 : 1) + (isRunning ? 2 : 0);
}

function delayTo(time: number | undefined, nowMs: number): number | undefined {
  return time === undefined ? undefined : Math.max(0, time - nowMs);
}

function earliestRequeue(delays: readonly (number | undefined)[]): RequeueAfter | undefined {
  const known = delays.filter((delay) => delay !== undefined);
  return known.length === 0 ? undefined : { afterMs: Math.min(...known) };
}
