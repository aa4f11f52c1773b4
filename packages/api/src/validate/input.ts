/** What the checks of a cluster's spec look at. */
import type { EnvVar, VolumeMount } from '../core.gen.ts';
import type { FeatureGates } from '../feature-gates.ts';
import { type Loose, listOf, textOf } from '../loose.ts';
import { envByName } from '../predicates.ts';
import type { RayClusterSpec, WorkerGroupSpec } from '../raycluster.ts';
import { type FieldError, firstErrorOf } from './field-error.ts';

/** A cluster's spec, the annotations of the object that holds it, and the path at which it stands in that object. */
export interface ClusterInput {
  readonly spec: Loose<RayClusterSpec>;
  readonly annotations: unknown;
  readonly gates: FeatureGates;
  readonly at: string;
}

/** One worker group, with its name and its path. */
export interface GroupInput {
  readonly group: Loose<WorkerGroupSpec>;
  readonly name: string;
  readonly at: string;
}

/** The first error over the worker groups. */
export function firstGroupError(
  { spec, at }: ClusterInput,
  check: (input: GroupInput) => FieldError | undefined,
): FieldError | undefined {
  return firstErrorOf(listOf(spec?.workerGroupSpecs), (group, index) =>
    check({ group, name: textOf(group?.groupName), at: `${at}.workerGroupSpecs[${index}]` }),
  );
}

/** Is a variable of that name there, whatever its value? */
export function hasEnv(env: Loose<readonly EnvVar[]>, name: string): boolean {
  return envByName(listOf(env), name) !== undefined;
}

/** The containers of a pod template. */
export function containersOf(holder: Loose<Pick<WorkerGroupSpec, 'template'>>) {
  return listOf(holder?.template?.spec?.containers);
}

/** The first container of a pod template, which is the one that runs Ray. */
export function rayContainerOf(holder: Loose<Pick<WorkerGroupSpec, 'template'>>) {
  return containersOf(holder)[0];
}

/** Would Kubernetes restart the containers of a pod from this template? */
export function restartsContainers(holder: Loose<Pick<WorkerGroupSpec, 'template'>>): boolean {
  const policy = textOf(holder?.template?.spec?.restartPolicy);
  return policy !== '' && policy !== 'Never';
}

/** The mounts of a container or of the autoscaler. */
export function mountsOf(holder: Loose<{ readonly volumeMounts?: readonly VolumeMount[] }>) {
  return listOf(holder?.volumeMounts);
}
