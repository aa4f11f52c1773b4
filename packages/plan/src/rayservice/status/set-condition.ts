import { type Condition, type ConditionVerdict, RayServiceConditionReason, RayServiceConditionType } from '@manta/api';

export { withCondition } from '../../shared/conditions.ts';

export const Type = RayServiceConditionType;
export const Reason = RayServiceConditionReason;

/** When a condition is set, and for which generation of the spec. */
export interface Setting {
  readonly now: number;
  readonly generation: number | undefined;
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
