import { type Condition, type ConditionVerdict, timestamp } from '@manta/api';

/** The API server's rules for a reason and a message. Reasons of containers and messages of the server may break them. */
const VALID_REASON = /^[A-Za-z]([A-Za-z0-9_,:]{0,1022}[A-Za-z0-9_])?$/;
const MAX_MESSAGE = 32_768;
const UNKNOWN_REASON = 'Unknown';

/** Sets one condition. Its transition time changes only with its status, and its place in the list stays. */
export function withCondition(
  conditions: readonly Condition[],
  type: string,
  { status, reason, message }: ConditionVerdict,
  { now, generation }: { readonly now: number; readonly generation?: number | undefined },
): readonly Condition[] {
  const old = conditions.find((condition) => condition.type === type);
  const next: Condition = {
    ...old,
    type,
    status,
    reason: VALID_REASON.test(reason) ? reason : UNKNOWN_REASON,
    message: message.slice(0, MAX_MESSAGE).toWellFormed(),
    lastTransitionTime: old?.status === status ? old.lastTransitionTime : timestamp(now),
    ...(generation === undefined ? {} : { observedGeneration: generation }),
  };
  return old === undefined
    ? [...conditions, next]
    : conditions.map((condition) => (condition === old ? next : condition));
}
