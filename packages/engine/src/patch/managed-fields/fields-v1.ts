import { isObject, type Json, type JsonObject } from '../../json.ts';
import { emptyFieldSet, type FieldSet, isEmptySet } from './field-set.ts';
import { comparePathElements, type PathElement, readPathElement } from './path-element.ts';

/** A set as `fieldsV1` has it: a key for each step, `.` where a path that goes on is itself in the set. */
export function encodeFieldsV1(set: FieldSet): JsonObject {
  const steps = [...new Set([...set.members, ...set.children.keys()])].toSorted(comparePathElements);
  return Object.fromEntries(steps.flatMap((step) => encodeStep(set, step)));
}

/** The set that `fieldsV1` describes. Throws where a step is broken. */
export function decodeFieldsV1(fields: Json | undefined): FieldSet {
  if (!isObject(fields)) return emptyFieldSet;
  const members = new Set<PathElement>();
  const children = new Map<PathElement, FieldSet>();
  for (const [key, value] of Object.entries(fields)) {
    if (key === '.') continue;
    const step = readPathElement(key);
    if (step === undefined) continue;
    const isLeaf = !isObject(value) || Object.keys(value).length === 0;
    if (isLeaf || '.' in value) members.add(step);
    const inner = decodeFieldsV1(value);
    if (!isEmptySet(inner)) children.set(step, inner);
  }
  return { members, children };
}

function encodeStep(set: FieldSet, step: PathElement): readonly [string, Json][] {
  const child = set.children.get(step);
  const isMember = set.members.has(step);
  if (child === undefined || isEmptySet(child)) return isMember ? [[step, {}]] : [];
  return [[step, { ...(isMember ? { '.': {} } : {}), ...encodeFieldsV1(child) }]];
}
