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
import { type Action, validationWarning } from '../plan.ts';
import type { ObservedRayCluster } from './observed.ts';

/** Whether the cluster may be worked on, and what its user should hear about it. */
export interface Verdict {
  readonly isUsable: boolean;
  readonly actions: readonly Action[];
}

/** The first thing that is wrong is told and stops everything else; a warning is told and stops nothing. */
export function checkRayCluster({
  cluster,
  context,
  installed,
}: Pick<ObservedRayCluster, 'cluster' | 'context' | 'installed'>): Verdict {
  const { metadata, spec } = cluster;
  const { gates } = context;
  const problem =
    refusal(METADATA, cluster, validateRayClusterMetadata(metadata)) ??
    refusal(SPEC, cluster, validateRayClusterSpec(spec, metadata?.annotations, gates)) ??
    refusal(SPEC, cluster, validateRayClusterPrerequisites(spec, gates, installed)) ??
    refusal(UPGRADE, cluster, validateRayClusterUpgradeStrategy(cluster)) ??
    refusal(STATUS, cluster, validateRayClusterStatus(cluster));
  const warning = problem?.isAfterSpec === false ? undefined : warnAboutRayClusterSpec(spec, gates);
  const warned = warning === undefined ? [] : [warn(cluster, warning)];
  return { isUsable: problem === undefined, actions: problem === undefined ? warned : [...warned, problem.action] };
}

interface Wording {
  readonly reason: string;
  /** The sentence before `<namespace>/<name>` and what separates that from the message. */
  readonly text: string;
  readonly separator: string;
  /** Whether the spec was fine by then, so that warnings about it are worth telling. */
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

function refusal(
  { reason, text, separator, isAfterSpec }: Wording,
  cluster: RayCluster,
  error: FieldError | undefined,
): { readonly action: Action; readonly isAfterSpec: boolean } | undefined {
  if (error === undefined) return undefined;
  const note = `${text} ${nameOf(cluster)}${separator}${error.message}`;
  return { action: validationWarning(reason, note), isAfterSpec };
}

function warn(cluster: RayCluster, warning: FieldError): Action {
  return validationWarning(InvalidRayClusterSpec, `RayCluster spec warning ${nameOf(cluster)}: ${warning.message}`);
}

function nameOf({ metadata }: RayCluster): string {
  return `${metadata?.namespace ?? ''}/${metadata?.name ?? ''}`;
}
