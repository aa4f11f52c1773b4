import { ownValue } from '@manta/base';
import { deepEqual } from '../../object/deep-equal.ts';
import { forbidden, invalid } from '../../field/cause.ts';
import type { JsonObject } from '../../object/json.ts';
import { qosClass } from '../prepare/pod.ts';
import { mapPart, mapParts, metaOf, part, parts, text, without } from '../read.ts';
import type { Causes } from './check.ts';
import { checkPod } from './pod-spec.ts';

const mirrorAnnotation = 'kubernetes.io/config.mirror';

/** Checks what a write to a pod's `resize` did: amounts of CPU and memory may change, and not how much the pod is promised. */
export function checkPodResize(object: JsonObject, old: JsonObject): Causes {
  const [spec, before] = [part(object, 'spec') ?? {}, part(old, 'spec') ?? {}];
  const own = checkPod(object).filter(({ field }) => field !== 'spec.ephemeralContainers');
  if (part(metaOf(old), 'annotations')?.[mirrorAnnotation] !== undefined) {
    return [...own, forbidden('[]', 'static pods cannot be resized')];
  }
  if (text(part(before, 'os'), 'name') === 'windows') {
    return [...own, forbidden('[]', 'windows pods cannot be resized')];
  }
  const causes = [
    ...own,
    ...promiseCauses(spec, before, old),
    ...lists.flatMap((key) => countCauses(spec, before, key)),
  ];
  if (lists.some((key) => countCauses(spec, before, key).length > 0)) return causes;
  return [...causes, ...removalCauses(spec, before), ...otherCauses(spec, before)];
}

const lists = ['containers', 'initContainers'];
const amounts = ['requests', 'limits'];

function promiseCauses(spec: JsonObject, before: JsonObject, old: JsonObject): Causes {
  const status = part(old, 'status');
  const isDeaf = parts(status, 'containerStatuses').some(
    (each) => part(part(each, 'state'), 'running') !== undefined && part(each, 'resources') === undefined,
  );
  const problem = 'Pod QOS Class may not change as a result of resizing';
  return [
    ...(qosClass(spec) === qosClass(before) ? [] : [invalid('spec', text(status, 'qosClass'), problem)]),
    ...(isDeaf ? [forbidden('spec', 'Pod running on node without support for resize')] : []),
  ];
}

function countCauses(spec: JsonObject, before: JsonObject, key: string): Causes {
  const [now, then] = [parts(spec, key), parts(before, key)];
  if (now.length !== then.length) return [forbidden(`spec.${key}`, `${key} may not be added or removed on resize`)];
  return now.flatMap((container, i) =>
    text(container, 'name') === text(then[i], 'name')
      ? []
      : [forbidden(`spec.${key}[${i}].name`, `${key} may not be renamed or reordered on resize`)],
  );
}

function removalCauses(spec: JsonObject, before: JsonObject): Causes {
  return lists.flatMap((key) =>
    parts(spec, key).flatMap((container, i) => {
      const then = part(parts(before, key)[i], 'resources');
      return amounts.flatMap((kind) =>
        isRemoved(part(part(container, 'resources'), kind), part(then, kind))
          ? [forbidden(`spec.${key}[${i}].resources.${kind}`, `resource ${kind} cannot be removed`)]
          : [],
      );
    }),
  );
}

function isRemoved(now: JsonObject | undefined, then: JsonObject | undefined): boolean {
  return Object.keys(then ?? {}).some((name) => ownValue(now, name) === undefined);
}

function otherCauses(spec: JsonObject, before: JsonObject): Causes {
  if (deepEqual(withoutAmounts(spec), withoutAmounts(before))) return [];
  return [forbidden('spec', 'only cpu and memory resources are mutable')];
}

/** A pod's spec but for CPU and memory. */
function withoutAmounts(spec: JsonObject): JsonObject {
  const strip = (owner: JsonObject) => mapPart(owner, 'resources', bare);
  return lists.reduce((all, key) => mapParts(all, key, strip), strip(spec));
}

function bare(resources: JsonObject): JsonObject {
  return amounts.reduce((all, kind) => {
    const rest = without(part(all, kind) ?? {}, 'cpu', 'memory');
    return Object.keys(rest).length === 0 ? without(all, kind) : { ...all, [kind]: rest };
  }, resources);
}
