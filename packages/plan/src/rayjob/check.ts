import {
  JobDeploymentStatus,
  JobFailedReason,
  RayJobEventReason,
  validateRayJobMetadata,
  validateRayJobSpec,
  validateRayJobStatus,
} from '@manta/api';
import { validationWarning } from '../plan.ts';
import { blank } from './status.ts';
import { changed, type Step } from './step.ts';
import { fullName, type Subject } from './subject.ts';

/** The first thing that is wrong with a job; undefined for one that may be worked on. It is told once, not on every look. */
export function refusal(subject: Subject): Step | undefined {
  const { job, context, parseYaml, status } = subject;
  const { metadata, spec } = job;
  const problem =
    because(RayJobEventReason.InvalidRayJobMetadata, validateRayJobMetadata(metadata)?.message) ??
    because(
      RayJobEventReason.InvalidRayJobSpec,
      validateRayJobSpec(spec, metadata?.annotations, context.gates, parseYaml)?.message,
    ) ??
    because(RayJobEventReason.InvalidRayJobStatus, validateRayJobStatus(job)?.message);
  if (problem === undefined) return undefined;
  const { reason, message } = problem;
  const isTold = status.jobDeploymentStatus === JobDeploymentStatus.ValidationFailed && status.message === message;
  return {
    actions: isTold ? [] : [validationWarning(reason, `${fullName(subject, subject.name)}: ${message}`)],
    status: changed(blank(status), {
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

function because(reason: string, message: string | undefined): Problem | undefined {
  return message === undefined ? undefined : { reason, message };
}
