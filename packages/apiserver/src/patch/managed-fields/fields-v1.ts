import { isObject, type Json, type JsonObject } from '../../object/json.ts';
import { emptyFieldSet, type FieldSet, isEmptySet } from './field-set.ts';
import { type PathElement, readPathElement, sortPathElements } from './path-element.ts';

/** Most owners keep what they own from write to write: what was read or written once is not worked out again. */
const written = new WeakMap<FieldSet, JsonObject>();
const read = new WeakMap<JsonObject, FieldSet>();

/** A set as `fieldsV1` has it: a key for each step, `.` where a path that goes on is itself in the set. */
export function encodeFieldsV1(set: FieldSet): JsonObject {
  const known = written.get(set);
  if (known !== undefined) return known;
  const fields = encode(set);
  written.set(set, fields);
  return fields;
}

/** The set that `fieldsV1` describes. Throws where a step is broken. */
export function decodeFieldsV1(fields: Json | undefined): FieldSet {
  if (!isObject(fields)) return emptyFieldSet;
  const known = read.get(fields);
  if (known !== undefined) return known;
  const set = decode(fields);
  read.set(fields, set);
  written.set(set, fields);
  return set;
}

const leaf: JsonObject = Object.freeze({});

function encode(set: FieldSet, isMember = false): JsonObject {
  const fields: Record<string, Json> = isMember ? { '.': leaf } : {};
  for (const step of sortPathElements(set.members.union(set.children))) {
    const child = set.children.get(step);
    if (child !== undefined && !isEmptySet(child)) fields[step] = encode(child, set.members.has(step));
    else if (set.members.has(step)) fields[step] = leaf;
  }
  return fields;
}

function decode(fields: JsonObject): FieldSet {
  const members = new Set<PathElement>();
  const children = new Map<PathElement, FieldSet>();
  for (const [key, value] of Object.entries(fields)) {
    if (key === '.') continue;
    const step = readPathElement(key);
    if (step === undefined) continue;
    const isLeaf = !isObject(value) || Object.keys(value).length === 0;
    if (isLeaf || '.' in value) members.add(step);
    const inner = isLeaf ? emptyFieldSet : decode(value);
    if (!isEmptySet(inner)) children.set(step, inner);
  }
  return { members, children };
}
