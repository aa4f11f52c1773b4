import { duplicate, invalid } from '../field/cause.ts';
import { goJson } from '../field/go-json.ts';
import { fieldPath, type Step } from '../field/path.ts';
import { isObject, type Json } from '../object/json.ts';
import type { FieldCause } from '../status/status-error.ts';
import { keyOf } from './list-keys.ts';
import type { SchemaNode } from './node.ts';
import { walkSchema } from './walk-schema.ts';

/** Finds items that occur twice in lists of type set and map. */
export function checkUniqueLists(root: SchemaNode, object: Json): readonly FieldCause[] {
  const causes: FieldCause[] = [];
  const leads = ({ below }: SchemaNode) => below.uniqueLists;
  walkSchema(root, object, leads, (node, value, path) => {
    if (Array.isArray(value)) checkList(node, value, path, causes);
  });
  return causes;
}

function checkList({ schema }: SchemaNode, list: readonly Json[], path: readonly Step[], causes: FieldCause[]): void {
  const type = schema['x-kubernetes-list-type'];
  if (type !== 'set' && type !== 'map') return;
  if (type === 'map') {
    const odd = list.findIndex((item) => item !== null && !isObject(item));
    if (odd !== -1) {
      causes.push(invalid(fieldPath([...path, odd]), list[odd], 'must be an object for an array of list-type map'));
      return;
    }
  }
  const times = new Map<string, number>();
  for (const [index, item] of list.entries()) {
    const key = type === 'map' ? keyOf(schema, item) : item;
    const text = goJson(key);
    const before = times.get(text) ?? 0;
    times.set(text, before + 1);
    if (before === 1) causes.push(duplicate(fieldPath([...path, index]), key));
  }
}
