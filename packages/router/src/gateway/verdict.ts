import type { Condition } from '@manta/api';

/** What we think of an object: a condition without its time, which depends on what was written before. */
export type Verdict = Omit<Condition, 'lastTransitionTime'>;

/** Makes verdicts about one generation of an object. */
export function judge(generation: number | undefined) {
  const about = (type: string, status: Condition['status']) => (reason: string, message: string) => ({
    type,
    status,
    reason,
    message,
    ...(generation === undefined ? {} : { observedGeneration: generation }),
  });
  return {
    yes: (type: string, message = '', reason = type): Verdict => about(type, 'True')(reason, message),
    no: (type: string, reason: string, message: string): Verdict => about(type, 'False')(reason, message),
  };
}

/** The conditions to write: ours with their times, after those that others have put there. A time moves only when the status does. */
export function mergeConditions(
  held: readonly Condition[] | undefined,
  verdicts: readonly Verdict[],
  now: string,
): readonly Condition[] {
  const ours = new Set(verdicts.map(({ type }) => type));
  const others = (held ?? []).filter(({ type }) => !ours.has(type));
  const fresh = verdicts.map((verdict): Condition => {
    const before = held?.find(({ type }) => type === verdict.type);
    const isSame = before?.status === verdict.status;
    return { ...verdict, lastTransitionTime: isSame ? before.lastTransitionTime : now };
  });
  return [...others, ...fresh];
}

/** The verdicts for a listener, a Gateway or a route are what the conditions already say. */
export function areSaid(held: readonly Condition[] | undefined, verdicts: readonly Verdict[]): boolean {
  return verdicts.every((verdict) =>
    held?.some(
      ({ type, status, reason, message, observedGeneration }) =>
        type === verdict.type &&
        status === verdict.status &&
        reason === verdict.reason &&
        message === verdict.message &&
        observedGeneration === verdict.observedGeneration,
    ),
  );
}
