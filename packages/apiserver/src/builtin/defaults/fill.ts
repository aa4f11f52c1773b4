import { mapList, mapObject } from '../../crd/rebuild.ts';
import { isObject, type Json, type JsonObject } from '../../object/json.ts';
import { type Shape, shapeOf } from '../shape.ts';
import { adminDefaults } from './admin.ts';
import { coreDefaults } from './core.ts';
import { podDefaults } from './pod.ts';
import type { SetDefaults } from './set-defaults.ts';
import { workDefaults } from './work.ts';

const byType: ReadonlyMap<string, SetDefaults> = new Map(
  Object.entries({ ...podDefaults, ...coreDefaults, ...workDefaults, ...adminDefaults }),
);

/** Fills in the defaults of an object of a Go type: those of the whole first, then those of its parts. */
export function fillDefaults(type: string, object: JsonObject): JsonObject {
  const filled = fill(shapeOf(type), object);
  return isObject(filled) ? filled : object;
}

function fill(shape: Shape, value: Json): Json {
  if (!hasDefaults(shape)) return value;
  if (shape.kind === 'pointer') return fill(shape.to, value);
  if (shape.kind === 'list' && Array.isArray(value)) return mapList(value, (item) => fill(shape.item, item));
  if (!isObject(value)) return value;
  if (shape.kind === 'map') return mapObject(value, (child) => fill(shape.value, child));
  if (shape.kind !== 'struct') return value;
  const own = byType.get(shape.type)?.(value) ?? value;
  return mapObject(own, (child, key) => {
    const field = shape.fields.get(key);
    return field === undefined ? child : fill(field.shape, child);
  });
}

const known = new WeakMap<Shape, boolean>();

/** Whether anything at or below a type has defaults; types on the way to themselves count as without. */
function hasDefaults(shape: Shape): boolean {
  const answer = known.get(shape);
  if (answer !== undefined) return answer;
  known.set(shape, false);
  const found = searchDefaults(shape);
  known.set(shape, found);
  return found;
}

function searchDefaults(shape: Shape): boolean {
  switch (shape.kind) {
    case 'pointer':
      return hasDefaults(shape.to);
    case 'list':
      return hasDefaults(shape.item);
    case 'map':
      return hasDefaults(shape.value);
    case 'struct':
      return byType.has(shape.type) || [...shape.fields.values()].some((field) => hasDefaults(field.shape));
    default:
      return false;
  }
}
