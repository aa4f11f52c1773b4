import { JobSubmissionMode, Label, type RayJob, type RayJobSpec, type RayJobStatus } from '@manta/api';
import type { ObservedRayJob } from './observed.ts';

/** A job with its defaults and what was observed of it: what every decision starts from. */
export interface Subject extends ObservedRayJob {
  readonly spec: RayJobSpec;
  readonly status: RayJobStatus;
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  /** The CRD lets any text pass; what is not known is neither submitted nor refused. */
  readonly mode: string;
  readonly isSelecting: boolean;
}

export function subjectOf(observed: ObservedRayJob): Subject {
  const { metadata = {}, spec = {}, status = {} } = observed.job;
  const { name = '', namespace = '', uid = '' } = metadata;
  return {
    ...observed,
    spec,
    status,
    name,
    namespace,
    uid,
    // An empty text, as templates leave it, is none.
    mode: spec.submissionMode || JobSubmissionMode.K8sJob,
    isSelecting: isSelectingCluster(spec),
  };
}

/** Whether the job runs on a cluster that exists without it: such a cluster is never created, changed or deleted. */
export function isSelectingCluster(spec: RayJobSpec): boolean {
  return Object.keys(spec.clusterSelector ?? {}).length > 0;
}

/** The name of the cluster that the job runs on; undefined before it has one. */
export function clusterNameOf({ spec, status }: RayJob): string | undefined {
  return (
    status?.rayClusterName || (spec === undefined ? undefined : spec.clusterSelector?.[Label.Cluster]) || undefined
  );
}

/** `namespace/name`, as events write it. */
export function fullName({ namespace }: Pick<Subject, 'namespace'>, name: string): string {
  return `${namespace}/${name}`;
}
