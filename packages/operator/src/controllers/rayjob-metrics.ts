import { JobDeploymentStatus, type RayJob, type RayJobStatus } from '@manta/api';
import { type Informer, type MetricsRegistry, type ObjectKey, refOf } from '@manta/runtime';

type Labels = Readonly<Record<string, string>>;

/** What the controller tells of jobs as they end. */
export interface RayJobMetrics {
  /** A status was written: how long the attempt took, if that was its end. */
  wrote(job: RayJob, after: RayJobStatus, now: number): void;
  /** The job is gone. */
  forget(key: ObjectKey): void;
}

const ENDS: readonly (string | undefined)[] = [
  JobDeploymentStatus.Complete,
  JobDeploymentStatus.Failed,
  JobDeploymentStatus.Retrying,
];

/** Shows every RayJob that is known, and its stage, whenever somebody scrapes; and how long attempts took. */
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
  let shown: readonly (readonly [keyof typeof gauges, Labels])[] = [];
  metrics.onScrape(() => {
    for (const [gauge, labels] of shown) gauges[gauge].remove(labels);
    shown = [...jobs.records()].flatMap((job) => {
      const deployment_status = job.status?.jobDeploymentStatus ?? '';
      return [['info', idOf(job)] as const, ['stage', { ...idOf(job), deployment_status }] as const];
    });
    for (const [gauge, labels] of shown) gauges[gauge].set(labels, 1);
  });
  return {
    wrote(job, { jobDeploymentStatus, startTime }, now) {
      const before = job.status?.jobDeploymentStatus;
      if (!ENDS.includes(jobDeploymentStatus) || ENDS.includes(before) || startTime === undefined) return;
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
