import {
  JobDeploymentStatus,
  JobFailedReason,
  RayJobEventReason,
  validateRayJobMetadata,
  validateRayJobSpec,
  validateRayJobStatus,
} from '@manta/api';
import { validationWarning } from '../plan.ts';
import { fullName } from '../shared/names.ts';
import type { JobState } from './state.ts';
import { withRequiredFields } from './status.ts';
import { type Step, withFields } from './step.ts';

/** Moves an invalid job to ValidationFailed with its first problem; undefined for a valid job. The warning is emitted once per problem. */
export function rejectInvalidJob(state: JobState): Step | undefined {
  const problem = firstProblem(state);
  if (problem === undefined) return undefined;
  const { status } = state;
  const { reason, message } = problem;
  const isReported = status.jobDeploymentStatus === JobDeploymentStatus.ValidationFailed && status.message === message;
  return {
    actions: isReported ? [] : [validationWarning(reason, `${fullName(state, state.name)}: ${message}`)],
    status: withFields(withRequiredFields(status), {
      jobDeploymentStatus: JobDeploymentStatus.ValidationFailed,
      reason: JobFailedReason.ValidationFailed,
      message,
    }),
  };
}

interface Problem {
  readonly reason: string;
  readonly message: string;
}

/** Metadata, spec and status are validated in this order, each only if the part before it is valid. */
function firstProblem({ job, context, parseYaml }: JobState): Problem | undefined {
  const { metadata, spec } = job;
  return (
    problemOf(RayJobEventReason.InvalidRayJobMetadata, validateRayJobMetadata(metadata)) ??
    problemOf(
      RayJobEventReason.InvalidRayJobSpec,
      validateRayJobSpec(spec, metadata?.annotations, context.gates, parseYaml),
    ) ??
    problemOf(RayJobEventReason.InvalidRayJobStatus, validateRayJobStatus(job))
  );
}

function problemOf(reason: string, error: { readonly message: string } | undefined): Problem | undefined {
  return error === undefined ? undefined : { reason, message: error.message };
}
