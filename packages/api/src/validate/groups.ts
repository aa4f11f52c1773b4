/** The head group and the worker groups of a cluster. */
import { isRecord, keysOf, type Loose, listOf, numberOf, textAt, textOf } from '../loose.ts';
import { isAutoscalingEnabled, usesAutoscalerV2 } from '../predicates.ts';
import type { HeadGroupSpec, RayClusterSpec, WorkerGroupSpec } from '../raycluster.ts';
import { isAtLeast, parseVersion } from '../version.ts';
import { type FieldError, fieldError, firstError } from './field-error.ts';
import { labelKeyErrors, labelValueErrors } from './kubernetes-names.ts';
import { type ClusterInput, containersOf, firstGroupError, type GroupInput } from './input.ts';

type AnyGroup = Loose<Pick<HeadGroupSpec & WorkerGroupSpec, 'rayStartParams' | 'resources' | 'labels'>>;

/** The head has a container, and says its resources and labels once. */
export function checkHeadGroup({ spec, at }: ClusterInput): FieldError | undefined {
  const head = spec?.headGroupSpec;
  const path = `${at}.headGroupSpec`;
  if (containersOf(head).length === 0) {
    return fieldError(`${path}.template.spec.containers`, 'headGroupSpec should have at least one container');
  }
  return checkResources(head, 'Head', path) ?? checkLabels(head, 'Head', path);
}

/** Every worker group has a container, sensible bounds, and fields that its Ray version and autoscaler understand. */
export function checkWorkerGroups(input: ClusterInput): FieldError | undefined {
  return firstGroupError(input, (group) =>
    firstError(group, [
      checkGroupContainers,
      (each) => checkReplicas(each, isAutoscalingEnabled(input.spec)),
      (each) => checkResources(each.group, each.name, each.at),
      (each) => checkLabels(each.group, each.name, each.at),
      (each) => checkIdleTimeout(each, input),
      (each) => checkPriority(each, input),
    ]),
  );
}

/** Two groups of one name would fight over each other's pods. */
export function checkGroupNamesAreUnique({ spec, at }: ClusterInput): FieldError | undefined {
  const index = duplicateGroupIndex(spec);
  return index < 0 ? undefined : fieldError(`${at}.workerGroupSpecs[${index}]`, 'worker group names must be unique');
}

/** Where the first worker group stands whose name an earlier one has; -1 where all names differ. */
export function duplicateGroupIndex(spec: Loose<RayClusterSpec>): number {
  const seen = new Set<string>();
  return listOf(spec?.workerGroupSpecs).findIndex((group) => {
    const name = textOf(group?.groupName);
    if (seen.has(name)) return true;
    seen.add(name);
    return false;
  });
}

function checkGroupContainers({ group, at }: GroupInput): FieldError | undefined {
  if (containersOf(group).length > 0) return undefined;
  return fieldError(`${at}.template.spec.containers`, 'workerGroupSpec should have at least one container');
}

function checkReplicas({ group, name, at }: GroupInput, autoscaling: boolean): FieldError | undefined {
  const min = numberOf(group?.minReplicas);
  const max = numberOf(group?.maxReplicas);
  if (!autoscaling && (min === undefined || max === undefined)) {
    const missing = min === undefined ? 'minReplicas' : 'maxReplicas';
    const rule = 'must set both minReplicas and maxReplicas when autoscaling is disabled';
    return fieldError(`${at}.${missing}`, `worker group ${name} ${rule}`);
  }
  if (min !== undefined && min < 0) {
    return fieldError(`${at}.minReplicas`, `worker group ${name} has negative minReplicas ${min}`);
  }
  if (max !== undefined && max < 0) {
    return fieldError(`${at}.maxReplicas`, `worker group ${name} has negative maxReplicas ${max}`);
  }
  if (min !== undefined && max !== undefined && min > max) {
    const message = `worker group ${name} has minReplicas ${min} greater than maxReplicas ${max}`;
    return fieldError(`${at}.minReplicas`, message);
  }
  return undefined;
}

function checkResources(group: AnyGroup, name: string, at: string): FieldError | undefined {
  const params = ['num-cpus', 'num-gpus', 'memory', 'resources'];
  const twice =
    params.some((param) => textAt(group?.rayStartParams, param) !== '') && keysOf(group?.resources).length > 0;
  if (!twice) return undefined;
  const rule = 'resource fields should not be set in both rayStartParams and Resources';
  return fieldError(`${at}.resources`, `${rule} for ${name} group; please use only one`);
}

function checkLabels(group: AnyGroup, name: string, at: string): FieldError | undefined {
  const params: unknown = group?.rayStartParams;
  if (isRecord(params) && Object.hasOwn(params, 'labels')) {
    const advice = 'please use the top-level Labels field instead';
    const message = `rayStartParams['labels'] is not supported for ${name} group; ${advice}`;
    return fieldError(`${at}.rayStartParams`, message);
  }
  const problems = keysOf(group?.labels).flatMap((key) => labelProblems(group?.labels, key, name));
  return problems.length === 0 ? undefined : fieldError(`${at}.labels`, problems.join('; '));
}

function labelProblems(labels: unknown, key: string, name: string): readonly string[] {
  const value = textAt(labels, key);
  return [
    ...labelKeyErrors(key).map((error) => `invalid label key for ${name} group: '${key}', error: ${error}`),
    ...labelValueErrors(value).map(
      (error) => `invalid label value for key '${key}' in ${name} group: '${value}', error: ${error}`,
    ),
  ];
}

function checkIdleTimeout({ group, name, at }: GroupInput, { spec }: ClusterInput): FieldError | undefined {
  const seconds = numberOf(group?.idleTimeoutSeconds);
  if (seconds === undefined) return undefined;
  const field = `${at}.idleTimeoutSeconds`;
  if (seconds < 0) {
    return fieldError(field, `worker group ${name}: idleTimeoutSeconds must be non-negative, got ${seconds}`);
  }
  if (usesAutoscalerV2(spec)) return undefined;
  const problem = 'idleTimeoutSeconds is set, but autoscaler v2 is not enabled';
  const advice =
    "Please set .spec.autoscalerOptions.version to 'v2' (or set RAY_enable_autoscaler_v2 environment variable to 'true' in the head pod if using KubeRay < 1.4.0)";
  return fieldError(field, `worker group ${name}: ${problem}. ${advice}`);
}

function checkPriority({ group, name, at }: GroupInput, { spec }: ClusterInput): FieldError | undefined {
  const priority = numberOf(group?.priority);
  if (priority === undefined || priority === 0) return undefined;
  const problem = priorityProblem(priority, textOf(spec?.rayVersion), usesAutoscalerV2(spec));
  return problem === undefined ? undefined : fieldError(`${at}.priority`, `worker group ${name}: ${problem}`);
}

function priorityProblem(priority: number, rayVersion: string, autoscalerV2: boolean): string | undefined {
  if (rayVersion === '') {
    return 'priority is set, but RayVersion was not specified. Ray version 2.56.0 or later is required';
  }
  const version = parseVersion(rayVersion);
  if (!version.ok) return `priority is set, but RayVersion format is invalid: ${rayVersion}, ${version.error}`;
  if (!isAtLeast(version.value, [2, 56, 0])) {
    return `priority is set, but minimum Ray version is 2.56.0, got ${rayVersion}`;
  }
  if (autoscalerV2) return undefined;
  const rule = 'Priority is only supported with autoscaler v2 enabled';
  return `priority is set to ${priority}, but autoscaler v2 is not enabled. ${rule}`;
}
