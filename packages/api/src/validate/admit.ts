/** What the admission webhooks refuse, in the shape that the API server passes on to users. */
import { goQuote } from '../go-quote.ts';
import { type Loose, listOf, textOf } from '../loose.ts';
import type { ObjectMeta } from '../meta.ts';
import type { RayCluster } from '../raycluster.ts';
import type { RayJob } from '../rayjob.ts';
import type { RayService } from '../rayservice.ts';
import type { FieldError } from './field-error.ts';
import { duplicateGroupIndex } from './groups.ts';
import { validateRayClusterMetadata } from './raycluster.ts';
import { validateRayJobMetadata } from './rayjob.ts';
import { validateRayServiceMetadata } from './rayservice.ts';

/** One reason for a refusal. */
export interface StatusCause {
  readonly reason: 'FieldValueInvalid';
  readonly message: string;
  readonly field: string;
}

/** A Kubernetes `Status` that says that an object is invalid. */
export interface InvalidStatus {
  readonly status: 'Failure';
  readonly reason: 'Invalid';
  readonly code: 422;
  readonly message: string;
  readonly details: {
    readonly group: 'ray.io';
    readonly kind: string;
    readonly name: string;
    readonly causes: readonly StatusCause[];
  };
}

/** Refuses a bad name and worker groups of one name; nothing where the cluster is fine. */
export function admitRayCluster(cluster: Loose<RayCluster>): InvalidStatus | undefined {
  const name = textOf(cluster?.metadata?.name);
  const causes = [nameCause(name, validateRayClusterMetadata(cluster?.metadata)), groupCause(cluster)];
  return refusal('RayCluster', name, causes);
}

/** Refuses a bad name; nothing where the job is fine. */
export function admitRayJob(job: Loose<RayJob>): InvalidStatus | undefined {
  return admitByMetadata('RayJob', job?.metadata, validateRayJobMetadata);
}

/** Refuses a bad name or timeout annotation; nothing where the service is fine. */
export function admitRayService(service: Loose<RayService>): InvalidStatus | undefined {
  return admitByMetadata('RayService', service?.metadata, validateRayServiceMetadata);
}

function admitByMetadata(
  kind: string,
  metadata: Loose<ObjectMeta>,
  validate: (metadata: Loose<ObjectMeta>) => FieldError | undefined,
): InvalidStatus | undefined {
  const name = textOf(metadata?.name);
  return refusal(kind, name, [nameCause(name, validate(metadata))]);
}

/** Whatever is wrong with the metadata is told of the name; tools expect it there. */
function nameCause(name: string, error: FieldError | undefined): StatusCause | undefined {
  return error && cause('metadata.name', name, error.message);
}

function groupCause(cluster: Loose<RayCluster>): StatusCause | undefined {
  const index = duplicateGroupIndex(cluster?.spec);
  if (index < 0) return undefined;
  const name = textOf(listOf(cluster?.spec?.workerGroupSpecs)[index]?.groupName);
  return cause(`spec.workerGroupSpecs[${index}]`, name, 'worker group names must be unique');
}

function cause(field: string, value: string, message: string): StatusCause {
  return { reason: 'FieldValueInvalid', field, message: `Invalid value: ${goQuote(value)}: ${message}` };
}

function refusal(kind: string, name: string, found: readonly (StatusCause | undefined)[]): InvalidStatus | undefined {
  const causes = found.filter((each) => each !== undefined);
  if (causes.length === 0) return undefined;
  const texts = causes.map(({ field, message }) => `${field}: ${message}`);
  const text = texts.length === 1 ? texts.join() : `[${texts.join(', ')}]`;
  return {
    status: 'Failure',
    reason: 'Invalid',
    code: 422,
    message: `${kind}.ray.io ${goQuote(name)} is invalid: ${text}`,
    details: { group: 'ray.io', kind, name, causes },
  };
}
