import {
  type FieldError,
  type RayCluster,
  RayClusterEventReason,
  validateRayClusterMetadata,
  validateRayClusterPrerequisites,
  validateRayClusterSpec,
  validateRayClusterStatus,
  validateRayClusterUpgradeStrategy,
  warnAboutRayClusterSpec,
} from '@manta/api';
import { type Action, type Plan, validationWarning } from '../plan.ts';
import type { ObservedRayCluster } from './observed.ts';

type Validated = Pick<ObservedRayCluster, 'cluster' | 'context' | 'installed'>;

/** Reports the first mistake in an invalid cluster and leaves everything as it is; undefined when the cluster is valid. */
export function rejectInvalidCluster(validated: Validated): Plan | undefined {
  const problem = firstProblem(validated);
  if (problem === undefined) return undefined;
  return { actions: [...(problem.isAfterSpec ? warnAboutSpec(validated) : []), problem.action] };
}

export function isValidCluster(validated: Validated): boolean {
  return firstProblem(validated) === undefined;
}

/** Reports what is valid and probably a mistake. */
export function warnAboutSpec({ cluster, context }: Validated): readonly Action[] {
  const warning = warnAboutRayClusterSpec(cluster.spec, context.gates);
  if (warning === undefined) return [];
  const note = `RayCluster spec warning ${nameOf(cluster)}: ${warning.message}`;
  return [validationWarning(InvalidRayClusterSpec, note)];
}

function firstProblem({ cluster, context, installed }: Validated): Problem | undefined {
  const { metadata, spec } = cluster;
  const { gates } = context;
  return (
    problemOf(METADATA, cluster, validateRayClusterMetadata(metadata)) ??
    problemOf(SPEC, cluster, validateRayClusterSpec(spec, metadata?.annotations, gates)) ??
    problemOf(SPEC, cluster, validateRayClusterPrerequisites(spec, gates, installed)) ??
    problemOf(UPGRADE, cluster, validateRayClusterUpgradeStrategy(cluster)) ??
    problemOf(STATUS, cluster, validateRayClusterStatus(cluster))
  );
}

interface Problem {
  readonly action: Action;
  readonly isAfterSpec: boolean;
}

interface Wording {
  readonly reason: string;
  /** The sentence before `<namespace>/<name>`, and the separator between that and the message. */
  readonly text: string;
  readonly separator: string;
  /** Whether the spec itself is valid, so that warnings about it are reported too. */
  readonly isAfterSpec: boolean;
}

const { InvalidRayClusterMetadata, InvalidRayClusterSpec, InvalidRayClusterStatus } = RayClusterEventReason;
const METADATA: Wording = {
  reason: InvalidRayClusterMetadata,
  text: 'The RayCluster metadata is invalid',
  separator: ': ',
  isAfterSpec: false,
};
const SPEC: Wording = {
  reason: InvalidRayClusterSpec,
  text: 'The RayCluster spec is invalid',
  separator: ': ',
  isAfterSpec: false,
};
const UPGRADE: Wording = { ...SPEC, text: 'The RayCluster UpgradeStrategy is invalid', isAfterSpec: true };
const STATUS: Wording = {
  reason: InvalidRayClusterStatus,
  text: 'The RayCluster status is invalid',
  separator: ', ',
  isAfterSpec: true,
};

function problemOf(
  { reason, text, separator, isAfterSpec }: Wording,
  cluster: RayCluster,
  error: FieldError | undefined,
): Problem | undefined {
  if (error === undefined) return undefined;
  const note = `${text} ${nameOf(cluster)}${separator}${error.message}`;
  return { action: validationWarning(reason, note), isAfterSpec };
}

function nameOf({ metadata }: RayCluster): string {
  return `${metadata?.namespace ?? ''}/${metadata?.name ?? ''}`;
}
