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
import { fullName } from '../shared/names.ts';
import type { JobState } from './state.ts';

/** For a missing cluster: creates the job's own cluster; aborts the reconcile if the job selects an existing cluster. */
export function createOrRequireCluster(state: JobState): readonly Action[] {
  const name = fullName(state, state.status.rayClusterName ?? '');
  if (state.selectsExistingCluster) {
    const note = `RayCluster ${name} set in the clusterSelector is not found. It must be created manually`;
    const message = `clusterSelector mode is enabled, but RayCluster ${name} is not found: create it, or name another one in spec.clusterSelector`;
    return [validationWarning(RayJobEventReason.RayClusterNotFound, note), { type: 'abort', message }];
  }
  const cluster = buildJobCluster(state);
  if (!cluster.ok) return [{ type: 'abort', message: cluster.error }];
  return [
    ...planJobGang(state, cluster.value),
    {
      type: 'create',
      kind: 'RayCluster',
      objects: [cluster.value],
      whenExists: 'fine-if-ours',
      done: normal(RayJobEventReason.CreatedRayCluster, 'Create', `Created RayCluster ${name}`),
      failed: warning(RayJobEventReason.FailedToCreateRayCluster, 'Create', `Failed to create RayCluster ${name}:`),
    },
  ];
}

/** The RayCluster for a job; an error if the submitter cannot be added to its head pod (SidecarMode). */
export function buildJobCluster(state: JobState): Parsed<RayCluster> {
  const { job, name, namespace, status, mode } = state;
  const spec = clusterSpec(state);
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
        // A new head would not know the job that the former head's container submitted.
        ...(isSidecar ? { [Annotation.DisableProvisionedHeadRestart]: 'true' } : {}),
      },
      ownerReferences: [controllerReference('RayJob', job)],
    },
    spec: spec.value,
  };
  return parsed(clusterForScheduler(state, cluster));
}

function clusterSpec({ spec, status, mode, parseYaml, context }: JobState): Parsed<RayClusterSpec> {
  const wanted = writtenOut(spec.rayClusterSpec ?? { headGroupSpec: { template: {} } });
  if (mode !== JobSubmissionMode.Sidecar) return parsed(wanted);
  const cluster = { name: status.rayClusterName ?? '', spec: wanted };
  return withSidecarSubmitter({ cluster, spec, jobId: status.jobId ?? '', parseYaml }, context);
}

/** Whether the cluster was created for this job. The operator deletes and changes no other cluster. */
export function isOwnCluster({ cluster, uid, selectsExistingCluster }: JobState): boolean {
  const owner = cluster?.metadata?.ownerReferences?.find(({ controller }) => controller === true);
  return !selectsExistingCluster && owner?.uid === uid;
}
