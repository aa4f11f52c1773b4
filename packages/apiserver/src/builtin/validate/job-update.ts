import { ownValue } from '@manta/base';
import { deepEqual } from '../../object/deep-equal.ts';
import { invalid } from '../../field/cause.ts';
import type { JsonObject } from '../../object/json.ts';
import { mapPart, mapParts, number, part, parts, text, without } from '../read.ts';
import type { Causes } from './check.ts';
import { checkJobSpec, generatedCauses } from './job.ts';
import { checkJobStatus } from './job-status.ts';

const fixed = ['selector', 'completionMode', 'podFailurePolicy', 'backoffLimitPerIndex', 'managedBy', 'successPolicy'];

/** Checks what an update did to a job: what its pods are made from stays. */
export function checkJobUpdate(object: JsonObject, old: JsonObject, subresource: string): Causes {
  if (subresource === 'status') return checkJobStatus(object, old);
  const [spec, before] = [part(object, 'spec') ?? {}, part(old, 'spec') ?? {}];
  const changed = fixed.filter((key) => !deepEqual(ownValue(spec, key), ownValue(before, key)));
  const hasOtherCount = spec['completions'] !== before['completions'] && text(before, 'completionMode') !== 'Indexed';
  return [
    ...checkJobSpec(spec),
    ...generatedCauses(object, spec),
    ...[...(hasOtherCount ? ['completions'] : []), ...changed].map((key) =>
      invalid(`spec.${key}`, ownValue(spec, key) ?? null, 'field is immutable'),
    ),
    ...templateCauses(part(spec, 'template'), part(before, 'template'), canChangeTemplate(old)),
  ];
}

/** A queueing controller may change the pod template's scheduling fields and resources while the job has had no pods. */
function canChangeTemplate(old: JsonObject): boolean {
  const status = part(old, 'status');
  const isHeld = parts(status, 'conditions').some(
    (condition) => text(condition, 'type') === 'Suspended' && text(condition, 'status') === 'True',
  );
  const hasNoPods = (number(status, 'active') ?? 0) === 0;
  return part(old, 'spec')?.['suspend'] === true && hasNoPods && (isHeld || text(status, 'startTime') === '');
}

function templateCauses(now: JsonObject | undefined, then: JsonObject | undefined, canChange: boolean): Causes {
  const problem = 'field is immutable';
  if (!canChange) return deepEqual(now, then) ? [] : [invalid('spec.template', now ?? null, problem)];
  const spec = part(now, 'spec') ?? {};
  const isKept = deepEqual(withoutPlacement(spec), withoutPlacement(part(then, 'spec') ?? {}));
  return isKept ? [] : [invalid('spec.template.spec', spec, problem)];
}

/** What of a pod's spec has nothing to do with where it runs and what it gets. */
function withoutPlacement(spec: JsonObject): JsonObject {
  const bare = without(spec, 'nodeSelector', 'tolerations', 'schedulingGates');
  const elsewhere = mapPart(bare, 'affinity', (affinity) => without(affinity, 'nodeAffinity'));
  const hasAffinity = Object.keys(part(elsewhere, 'affinity') ?? {}).length > 0;
  return ['containers', 'initContainers'].reduce(
    (all, key) => mapParts(all, key, (container) => without(container, 'resources')),
    hasAffinity ? elsewhere : without(elsewhere, 'affinity'),
  );
}
