import { deepEqual } from '../../object/deep-equal.ts';
import { forbidden, invalid } from '../../field/cause.ts';
import type { JsonObject } from '../../object/json.ts';
import { mapParts, number, part, parts, text, without } from '../read.ts';
import { type Causes, checkInRange } from './check.ts';
import { checkPodResize } from './pod-resize.ts';
import { checkPod } from './pod-spec.ts';

const maxInt32 = 2 ** 31 - 1;
const changeable =
  '`spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)';

/** Checks what an update did to a pod: hardly anything of a pod can change. */
export function checkPodUpdate(object: JsonObject, old: JsonObject, subresource: string): Causes {
  if (subresource === 'status') return [];
  if (subresource === 'resize') return checkPodResize(object, old);
  const [spec, before] = [part(object, 'spec') ?? {}, part(old, 'spec') ?? {}];
  const causes: Causes[number][] = checkPod(object).filter(({ field }) => field !== 'spec.ephemeralContainers');
  for (const key of ['containers', 'initContainers']) {
    if (parts(spec, key).length !== parts(before, key).length) {
      return [...causes, forbidden(`spec.${key}`, 'pod updates may not add or remove containers')];
    }
  }
  const deadline = deadlineCauses(spec, before);
  // A wrong deadline ends the checks; one that was taken away does not.
  if (deadline.length > 0 && spec['activeDeadlineSeconds'] !== undefined) return [...causes, ...deadline];
  causes.push(...deadline, ...tolerationCauses(spec, before));
  if (deepEqual(frozen(spec, before), frozen(before, before))) return causes;
  return [...causes, forbidden('spec', `pod updates may not change fields other than ${changeable}`)];
}

/** What must be as before, with what may differ left out. */
function frozen(spec: JsonObject, before: JsonObject): JsonObject {
  const bare = without(spec, 'activeDeadlineSeconds', 'tolerations', 'schedulingGates', 'ephemeralContainers');
  const images = ['containers', 'initContainers'].reduce(
    (all, key) => mapParts(all, key, (each) => without(each, 'image')),
    bare,
  );
  const isShortened =
    (number(before, 'terminationGracePeriodSeconds') ?? 0) < 0 && number(spec, 'terminationGracePeriodSeconds') === 1;
  return isShortened
    ? { ...images, terminationGracePeriodSeconds: before['terminationGracePeriodSeconds'] ?? null }
    : images;
}

function deadlineCauses(spec: JsonObject, before: JsonObject): Causes {
  const field = 'spec.activeDeadlineSeconds';
  const [now, then] = [number(spec, 'activeDeadlineSeconds'), number(before, 'activeDeadlineSeconds')];
  if (now === undefined)
    return then === undefined ? [] : [invalid(field, null, 'must not update from a positive integer to nil value')];
  const range = checkInRange(now, field, 0, maxInt32);
  if (range.length > 0) return range;
  return then !== undefined && then < now ? [invalid(field, now, 'must be less than or equal to previous value')] : [];
}

function tolerationCauses(spec: JsonObject, before: JsonObject): Causes {
  const now = parts(spec, 'tolerations').map((each) => without(each, 'tolerationSeconds'));
  const isKept = parts(before, 'tolerations').every((old) =>
    now.some((each) => deepEqual(each, without(old, 'tolerationSeconds'))),
  );
  const gates = new Set(parts(before, 'schedulingGates').map((gate) => text(gate, 'name')));
  const added = parts(spec, 'schedulingGates').flatMap((gate, index) =>
    gates.has(text(gate, 'name'))
      ? []
      : [
          forbidden(
            `spec.schedulingGates[${index}].name`,
            `only deletion is allowed, but found new scheduling gate '${text(gate, 'name')}'`,
          ),
        ],
  );
  if (isKept) return added;
  return [
    forbidden('spec.tolerations', 'existing toleration can not be modified except its tolerationSeconds'),
    ...added,
  ];
}
