import {
  Annotation,
  JobSubmissionMode,
  Label,
  OriginCrd,
  type Parsed,
  parsed,
  type RayCluster,
  type RayClusterSpec,
  RayJobEventReason,
} from '@manta/api';
import { controllerReference } from '../build/owner.ts';
import { withSidecarSubmitter } from '../build/submitter-sidecar.ts';
import { writtenOut } from '../build/written-out.ts';
import { type Action, normal, validationWarning, warning } from '../plan.ts';
import { clusterForScheduler, planJobGang } from './gang.ts';
import { fullName, type Subject } from './subject.ts';

const { CreatedRayCluster, FailedToCreateRayCluster, RayClusterNotFound } = RayJobEventReason;

/** What to do about a cluster that should be there and is not: one of the job's own is made, one of somebody else's is missed. */
export function planMissingCluster(subject: Subject): readonly Action[] {
  const name = fullName(subject, subject.status.rayClusterName ?? '');
  if (subject.isSelecting) {
    const note = `RayCluster ${name} set in the clusterSelector is not found. It must be created manually`;
    const message = `clusterSelector mode is enabled, but RayCluster ${name} is not found: create it, or name another one in spec.clusterSelector`;
    return [validationWarning(RayClusterNotFound, note), { type: 'abort', message }];
  }
  const cluster = buildJobCluster(subject);
  if (!cluster.ok) return [{ type: 'abort', message: cluster.error }];
  return [
    ...planJobGang(subject, cluster.value),
    {
      type: 'create',
      kind: 'RayCluster',
      objects: [cluster.value],
      whenExists: 'fine-if-ours',
      done: normal(CreatedRayCluster, 'Create', `Created RayCluster ${name}`),
      failed: warning(FailedToCreateRayCluster, 'Create', `Failed to create RayCluster ${name}:`),
    },
  ];
}

/** The cluster that is made for a job; an error where no submitter can be put into its head pod. */
export function buildJobCluster(subject: Subject): Parsed<RayCluster> {
  const { job, name, namespace, status, mode } = subject;
  const spec = clusterSpec(subject);
  if (!spec.ok) return spec;
  const isSidecar = mode === JobSubmissionMode.Sidecar;
  const cluster: RayCluster = {
    apiVersion: 'ray.io/v1',
    kind: 'RayCluster',
    metadata: {
      name: status.rayClusterName ?? '',
      namespace,
      labels: {
        ...job.metadata?.labels,
        [Label.OriginatedFromCrName]: name,
        [Label.OriginatedFromCrd]: OriginCrd.RayJob,
        [Label.JobSubmissionMode]: mode,
      },
      annotations: {
        ...job.metadata?.annotations,
        // A new head would know nothing of the job that the old one's container has submitted.
        ...(isSidecar ? { [Annotation.DisableProvisionedHeadRestart]: 'true' } : {}),
      },
      ownerReferences: [controllerReference('RayJob', job)],
    },
    spec: spec.value,
  };
  return parsed(clusterForScheduler(subject, cluster));
}

function clusterSpec({ spec, status, mode, parseYaml, context }: Subject): Parsed<RayClusterSpec> {
  const wanted = writtenOut(spec.rayClusterSpec ?? { headGroupSpec: { template: {} } });
  if (mode !== JobSubmissionMode.Sidecar) return parsed(wanted);
  const cluster = { name: status.rayClusterName ?? '', spec: wanted };
  return withSidecarSubmitter({ cluster, spec, jobId: status.jobId ?? '', parseYaml }, context);
}

/** Whether the cluster was made for this job: only then may it be deleted or changed. */
export function isOwnCluster({ cluster, uid, isSelecting }: Subject): boolean {
  const owner = cluster?.metadata?.ownerReferences?.find(({ controller }) => controller === true);
  return !isSelecting && owner?.uid === uid;
}
