import { JobDeploymentStatus, type RayJob, type RayJobStatus } from '@manta/api';
import { type Informer, type MetricsRegistry, type ObjectKey, refOf } from '@manta/runtime';

type Labels = Readonly<Record<string, string>>;

/** Hooks for metrics of jobs. */
export interface RayJobMetrics {
  /** A status was written: how long the attempt took, if that was its end. */
  wrote(job: RayJob, after: RayJobStatus, now: number): void;
  /** The job no longer exists. */
  forget(key: ObjectKey): void;
}

const ENDS: readonly (string | undefined)[] = [
  JobDeploymentStatus.Complete,
  JobDeploymentStatus.Failed,
  JobDeploymentStatus.Retrying,
];

/** Exports every RayJob and its deployment status at each scrape, and how long attempts took. */
export function exportRayJobMetrics(
  metrics: Pick<MetricsRegistry, 'gauge' | 'onScrape'>,
  jobs: Pick<Informer<RayJob>, 'records'>,
): RayJobMetrics {
  const gauges = {
    info: metrics.gauge('kuberay_job_info', 'Each RayJob that the operator knows'),
    stage: metrics.gauge('kuberay_job_deployment_status', 'The stage of each RayJob, as its status has it'),
  };
  const duration = metrics.gauge(
    'kuberay_job_execution_duration_seconds',
    'Seconds from the start of an attempt at a RayJob to its end',
  );
  metrics.onScrape(() => {
    for (const gauge of Object.values(gauges)) gauge.remove({});
    for (const job of jobs.records()) {
      const id = idOf(job);
      gauges.info.set(id, 1);
      gauges.stage.set({ ...id, deployment_status: job.status?.jobDeploymentStatus ?? '' }, 1);
    }
  });
  return {
    wrote(job, { jobDeploymentStatus, startTime }, now) {
      const before = job.status?.jobDeploymentStatus;
      if (!ENDS.includes(jobDeploymentStatus) || ENDS.includes(before) || startTime === undefined) return;
      // It ended long ago: only its spec was refused meanwhile.
      if (job.status?.endTime !== undefined) return;
      const labels = {
        ...idOf(job),
        job_deployment_status: jobDeploymentStatus ?? '',
        retry_count: String(job.status?.failed ?? 0),
      };
      duration.set(labels, (now - Date.parse(startTime)) / 1000);
    },
    forget(key) {
      const { namespace = '', name } = refOf(key);
      duration.remove({ namespace, name });
    },
  };
}

/** For an installation that wants no metrics of its jobs. */
export const NO_JOB_METRICS: RayJobMetrics = { wrote: () => undefined, forget: () => undefined };

function idOf({ metadata = {} }: RayJob): Labels {
  const { name = '', namespace = '', uid = '' } = metadata;
  return { name, namespace, uid };
}
