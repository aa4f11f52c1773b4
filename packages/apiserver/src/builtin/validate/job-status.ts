import { duplicate, invalid, required } from '../../field/cause.ts';
import type { JsonObject } from '../../object/json.ts';
import type { FieldCause } from '../../status/status-error.ts';
import { number, part, parts, text, texts } from '../read.ts';
import { type Causes, checkNonNegative } from './check.ts';

/** Validates an update of a job's status: how and when it ended must not change. */
export function checkJobStatus(job: JsonObject, old: JsonObject): Causes {
  const [status, before] = [part(job, 'status') ?? {}, part(old, 'status') ?? {}];
  // A resumed job gets a new start time with the update that resumes it.
  const isResumed = has(before, 'Suspended') && has(status, 'Suspended', 'False');
  const isHeld = part(job, 'spec')?.['suspend'] === true || isResumed;
  return [
    ...['active', 'succeeded', 'failed', 'ready', 'terminating'].flatMap((key) =>
      checkNonNegative(status, key, 'status'),
    ),
    ...uncountedCauses(part(status, 'uncountedTerminatedPods')),
    ...conditionCauses(status, before),
    ...(has(status, 'Complete') || has(status, 'Failed') ? endCauses(status) : []),
    ...counterCauses(status, before),
    ...completionCauses(status, before),
    ...startCauses(status, before, isHeld),
  ];
}

function has(status: JsonObject, type: string, state: 'True' | 'False' = 'True'): boolean {
  return parts(status, 'conditions').some((each) => text(each, 'type') === type && text(each, 'status') === state);
}

/** A problem that shows its value in a form of its own, or not at all. */
function bad(field: string, problem: string): FieldCause {
  return { reason: 'FieldValueInvalid', field: `status.${field}`, message: `Invalid value: ${problem}` };
}

const opposites = [
  ['Complete', 'Failed'],
  ['Complete', 'FailureTarget'],
  ['SuccessCriteriaMet', 'Failed'],
  ['SuccessCriteriaMet', 'FailureTarget'],
] as const;
const announced = [
  ['Failed', 'FailureTarget'],
  ['Complete', 'SuccessCriteriaMet'],
] as const;
const lasting = { Failed: 'terminal ', Complete: 'terminal ', FailureTarget: 'terminal ', SuccessCriteriaMet: '' };

function conditionCauses(status: JsonObject, before: JsonObject): Causes {
  const problems = [
    ...opposites
      .filter(([one, other]) => has(status, one) && has(status, other))
      .map(([one, other]) => `cannot set ${one}=True and ${other}=true conditions`),
    ...announced
      .filter(([end, sign]) => has(status, end) && !has(status, sign))
      .map(([end, sign]) => `cannot set ${end}=True condition without the ${sign}=true condition`),
    ...Object.entries(lasting)
      .filter(([type]) => has(before, type) && !has(status, type))
      .map(([type, how]) => `cannot disable the ${how}${type}=True condition`),
  ];
  return problems.map((problem) => bad('conditions', problem));
}

/** A job that has ended has no pods left to wait for or to count. */
function endCauses(status: JsonObject): Causes {
  const left = ['active', 'terminating'].flatMap((key) => {
    const count = number(status, key) ?? 0;
    return count > 0 ? [invalid(`status.${key}`, count, `${key}>0 is invalid for finished job`)] : [];
  });
  const uncounted = part(status, 'uncountedTerminatedPods');
  const [succeeded, failed] = [texts(uncounted, 'succeeded'), texts(uncounted, 'failed')];
  const uids = [succeeded, failed].map((list) => (list.length === 0 ? 'null' : JSON.stringify(list)));
  const shown = `{"Succeeded":${uids[0]},"Failed":${uids[1]}}`;
  return [
    ...left,
    ...(text(status, 'startTime') === ''
      ? [required('status.startTime', 'startTime is required for finished job')]
      : []),
    ...(succeeded.length + failed.length > 0
      ? [bad('uncountedTerminatedPods', `${shown}: must be empty for finished job`)]
      : []),
  ];
}

function uncountedCauses(uncounted: JsonObject | undefined): Causes {
  const seen = new Set<string>();
  return ['succeeded', 'failed'].flatMap((key) =>
    texts(uncounted, key).flatMap((uid, i) => {
      const field = `status.uncountedTerminatedPods.${key}[${i}]`;
      if (uid === '') return [invalid(field, uid, 'must not be empty')];
      if (seen.has(uid)) return [duplicate(field, uid)];
      seen.add(uid);
      return [];
    }),
  );
}

function counterCauses(status: JsonObject, before: JsonObject): Causes {
  const ready = number(status, 'ready');
  const isTooMany = ready !== undefined && ready > (number(status, 'active') ?? 0);
  return [
    ...(isTooMany ? [invalid('status.ready', ready, 'cannot set more ready pods than active')] : []),
    ...['failed', 'succeeded'].flatMap((key) => {
      const count = number(status, key) ?? 0;
      const isLess = count < (number(before, key) ?? 0);
      return isLess ? [invalid(`status.${key}`, count, `cannot decrease the ${key} counter`)] : [];
    }),
  ];
}

function completionCauses(status: JsonObject, before: JsonObject): Causes {
  const field = 'status.completionTime';
  const [end, then, start] = [
    text(status, 'completionTime'),
    text(before, 'completionTime'),
    text(status, 'startTime'),
  ];
  const isComplete = has(status, 'Complete');
  if (end === '') return isComplete ? [required(field, 'completionTime is required for Complete jobs')] : [];
  if (!isComplete) return [invalid(field, end, 'cannot set completionTime when there is no Complete=True condition')];
  return [
    ...(start !== '' && Date.parse(end) < Date.parse(start)
      ? [invalid(field, end, 'must be equal to or after `startTime`')]
      : []),
    ...(then !== '' && then !== end ? [invalid(field, end, 'field is immutable')] : []),
  ];
}

function startCauses(status: JsonObject, before: JsonObject, isHeld: boolean): Causes {
  const [start, then] = [text(status, 'startTime'), text(before, 'startTime')];
  if (isHeld || then === '' || then === start) return [];
  const problem = 'field is immutable for unsuspended job once set';
  return [invalid('status.startTime', start === '' ? null : start, problem)];
}
