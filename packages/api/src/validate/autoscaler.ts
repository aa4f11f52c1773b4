/** Autoscaling, and the suspension of single worker groups, which gets in its way. */
import { EnvName } from '../env.ts';
import { isSet, listOf, numberOf, textOf } from '../loose.ts';
import {
  envByName,
  headEnv,
  isAutoscalerV1,
  isAutoscalerV2,
  isAutoscalingEnabled,
  isTruthyEnv,
} from '../predicates.ts';
import { type FieldError, fieldError, firstError } from './field-error.ts';
import { type ClusterInput, firstGroupError, hasEnv, restartsContainers } from './input.ts';

/** All rules on autoscaling, in their order. */
export function checkAutoscaler(input: ClusterInput): FieldError | undefined {
  return firstError(input, [
    checkSuspensionGate,
    checkVariableWithoutAutoscaling,
    checkNoGroupSuspended,
    checkOneVersion,
    checkRestartPolicies,
    checkIdleTimeout,
    checkManagedCommand,
  ]);
}

/** Autoscaler v1 keeps no track of restarted workers: worth a warning, not a refusal. */
export function warnAboutRestarts(input: ClusterInput): FieldError | undefined {
  const { spec, at } = input;
  if (!isAutoscalingEnabled(spec) || !isAutoscalerV1(spec)) return undefined;
  const groups = listOf(spec?.workerGroupSpecs).filter(restartsContainers);
  if (groups.length === 0) return undefined;
  const names = groups.map((group) => textOf(group?.groupName)).join(', ');
  const message = `restartPolicy for worker groups [${names}] should be Never or unset when using autoscaler V1`;
  return fieldError(`${at}.workerGroupSpecs`, message);
}

function checkSuspensionGate(input: ClusterInput): FieldError | undefined {
  if (input.gates.RayJobDeletionPolicy) return undefined;
  const rule = 'can be suspended only when the RayJobDeletionPolicy feature gate is enabled';
  return firstSuspendedGroup(input, rule);
}

function checkNoGroupSuspended(input: ClusterInput): FieldError | undefined {
  if (!isAutoscalingEnabled(input.spec)) return undefined;
  return firstSuspendedGroup(input, 'cannot be suspended with Autoscaler enabled');
}

function firstSuspendedGroup(input: ClusterInput, rule: string): FieldError | undefined {
  return firstGroupError(input, ({ group, name, at }) =>
    group?.suspend === true ? fieldError(`${at}.suspend`, `worker group ${name} ${rule}`) : undefined,
  );
}

function checkVariableWithoutAutoscaling({ spec, at }: ClusterInput): FieldError | undefined {
  const variable = envByName(headEnv(spec), EnvName.EnableAutoscalerV2);
  if (isAutoscalingEnabled(spec) || !isTruthyEnv(variable)) return undefined;
  const problem = `cannot be set to '${textOf(variable?.value)}' when enableInTreeAutoscaling is false`;
  const advice = 'Please set enableInTreeAutoscaling: true to use autoscaler v2';
  const message = `environment variable ${EnvName.EnableAutoscalerV2} ${problem}. ${advice}`;
  return fieldError(`${at}.headGroupSpec.template.spec.containers[0].env`, message);
}

function checkOneVersion({ spec, at }: ClusterInput): FieldError | undefined {
  const { EnableAutoscalerV2 } = EnvName;
  if (!isAutoscalingEnabled(spec) || !isSet(spec?.autoscalerOptions?.version)) return undefined;
  if (!hasEnv(headEnv(spec), EnableAutoscalerV2)) return undefined;
  const message = `both .spec.autoscalerOptions.version and head Pod env var ${EnableAutoscalerV2} are set, please only use the former`;
  return fieldError(`${at}.autoscalerOptions.version`, message);
}

function checkRestartPolicies(input: ClusterInput): FieldError | undefined {
  const { spec, at } = input;
  if (!isAutoscalingEnabled(spec) || !isAutoscalerV2(spec)) return undefined;
  const rule = 'should be Never or unset when using autoscaler V2';
  if (restartsContainers(spec?.headGroupSpec)) {
    return fieldError(`${at}.headGroupSpec.template.spec.restartPolicy`, `restartPolicy for head Pod ${rule}`);
  }
  return firstGroupError(input, ({ group, name, at: path }) =>
    restartsContainers(group)
      ? fieldError(`${path}.template.spec.restartPolicy`, `restartPolicy for worker group ${name} ${rule}`)
      : undefined,
  );
}

function checkIdleTimeout({ spec, at }: ClusterInput): FieldError | undefined {
  const seconds = numberOf(spec?.autoscalerOptions?.idleTimeoutSeconds);
  if (seconds === undefined || seconds >= 0) return undefined;
  const message = `autoscalerOptions.idleTimeoutSeconds must be non-negative, got ${seconds}`;
  return fieldError(`${at}.autoscalerOptions.idleTimeoutSeconds`, message);
}

function checkManagedCommand({ spec, at }: ClusterInput): FieldError | undefined {
  const name = EnvName.GeneratedAutoscalerStartCommand;
  if (!hasEnv(spec?.autoscalerOptions?.env, name)) return undefined;
  const why = 'it is managed by KubeRay and injected automatically into the autoscaler container';
  return fieldError(`${at}.autoscalerOptions.env`, `autoscalerOptions.env must not contain ${name}: ${why}`);
}
