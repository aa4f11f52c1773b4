import { type Condition, type ConditionVerdict, RayServiceConditionReason, RayServiceConditionType } from '@manta/api';
import { timestamp } from '../../shared/timestamp.ts';

export const Type = RayServiceConditionType;
export const Reason = RayServiceConditionReason;

/** When a condition is set, and for which generation of the spec. */
export interface Setting {
  readonly now: number;
  readonly generation: number | undefined;
}

/** The longest message that the API server accepts. */
const MAX_MESSAGE = 32_768;

/** Sets one condition. Its transition time changes only with its status, and its place in the list stays. */
export function withCondition(
  conditions: readonly Condition[],
  type: string,
  { status, reason, message }: ConditionVerdict,
  { now, generation }: Setting,
): readonly Condition[] {
  const old = conditions.find((condition) => condition.type === type);
  const next: Condition = {
    type,
    status,
    reason,
    message: message.slice(0, MAX_MESSAGE),
    lastTransitionTime: old?.status === status ? old.lastTransitionTime : timestamp(now),
    ...(generation === undefined ? {} : { observedGeneration: generation }),
  };
  return old === undefined
    ? [...conditions, next]
    : conditions.map((condition) => (condition === old ? next : condition));
}

export function withoutCondition(conditions: readonly Condition[], type: string): readonly Condition[] {
  return conditions.filter((condition) => condition.type !== type);
}

export function conditionOf(conditions: readonly Condition[] | undefined, type: string): Condition | undefined {
  return conditions?.find((condition) => condition.type === type);
}

export function yes(reason: string, message: string): ConditionVerdict {
  return { status: 'True', reason, message };
}

export function no(reason: string, message: string): ConditionVerdict {
  return { status: 'False', reason, message };
}
