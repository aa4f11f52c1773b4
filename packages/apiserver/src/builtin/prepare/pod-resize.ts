import type { JsonObject } from '../../object/json.ts';
import { metaOf, part, parts, text, without } from '../read.ts';

const lists = ['containers', 'initContainers'];

/** Of what is sent to a pod's `resize` only resources and how they are resized count; all else stays as it was. */
export function preparePodResize(object: JsonObject, old: JsonObject): JsonObject {
  const [spec, before] = [part(object, 'spec') ?? {}, part(old, 'spec') ?? {}];
  const resized = lists.map((key): JsonObject => {
    const containers = resizedContainers(parts(spec, key), parts(before, key));
    return containers.length === 0 ? {} : { [key]: containers };
  });
  const { managedFields } = metaOf(object);
  return {
    ...old,
    metadata: managedFields === undefined ? without(metaOf(old), 'managedFields') : { ...metaOf(old), managedFields },
    spec: Object.assign({}, withResources(without(before, ...lists), spec, ['resources']), ...resized),
  };
}

/** In the order that was sent, strangers included: it is for the checks to refuse them. Of more or fewer than before all is looked at. */
function resizedContainers(sent: readonly JsonObject[], old: readonly JsonObject[]): readonly JsonObject[] {
  if (sent.length !== old.length) return sent;
  const byName = new Map(old.map((container) => [text(container, 'name'), container]));
  return sent.map((container) => {
    const before = byName.get(text(container, 'name'));
    return before === undefined ? container : withResources(before, container, ['resources', 'resizePolicy']);
  });
}

function withResources(target: JsonObject, source: JsonObject, keys: readonly string[]): JsonObject {
  const given = Object.entries(source).filter(([key]) => keys.includes(key));
  return { ...without(target, ...keys), ...Object.fromEntries(given) };
}
