import { dottedPath, type Step } from '../field/path.ts';
import { isObject, type Json, type JsonObject } from '../object/json.ts';
import { jsonTypeName } from '../patch/patch-errors.ts';
import { conversionMisfit } from './conversion-misfit.ts';
import { DecodeError } from './decode-error.ts';
import { decodeScalar, type Wrong } from './decode-scalar.ts';
import { type Shape, type ShapeField, shapeOf } from './shape.ts';

/** What reading a document as Go does found and lost. */
export interface Decoded {
  readonly value: Json;
  /** Paths of the fields that the type does not have, in the document's order. */
  readonly unknown: readonly string[];
}

/**
 * Reads a value into a Go type and writes it again: unknown fields fall away, empty values that Go leaves out do too, those that it
 * never leaves out appear, quantities and times get their usual form.
 *
 * @throws DecodeError for the first text that cannot be read, else for the first value of the wrong kind.
 */
export function decodeAs(shape: Shape, value: Json): Decoded {
  const walk: Walk = { ...newWalk(), isConversion: false };
  const decoded = decode(shape, value, walk);
  const [first] = walk.mismatches;
  if (first !== undefined) throw first;
  return { value: decoded ?? zeroOf(shape), unknown: walk.unknown };
}

/** What stops Go where it fills a type from a map instead of a document: the first misfit in the order of the type's fields. */
export function conversionError(shape: Shape, value: Json): DecodeError | undefined {
  try {
    decode(shape, value, { ...newWalk(), isConversion: true });
    return undefined;
  } catch (error) {
    if (error instanceof DecodeError) return error;
    throw error;
  }
}

function newWalk(): Omit<Walk, 'isConversion'> {
  return { path: [], names: [], structs: [], unknown: [], mismatches: [] };
}

interface Walk {
  /** Fields are read in the type's order, and the first misfit is the last. */
  readonly isConversion: boolean;
  readonly path: Step[];
  /** Field names alone, as Go's errors list them. */
  readonly names: string[];
  readonly structs: string[];
  readonly unknown: string[];
  /** Values of the wrong kind; Go reads on past them and reports the first. */
  readonly mismatches: DecodeError[];
}

/** Undefined stands for Go's nil or zero value. */
function decode(shape: Shape, value: Json, walk: Walk): Json | undefined {
  if (value === null) return undefined;
  switch (shape.kind) {
    case 'pointer':
      return decode(shape.to, value, walk) ?? zeroOf(shape.to);
    case 'struct':
      if (!isObject(value)) return skip(shape, value, walk);
      return decodeStruct(shape.name, shape.fields, value, walk);
    case 'list':
      if (!Array.isArray(value)) return skip(shape, value, walk);
      return value.map((item, index) => below(walk, index, () => decode(shape.item, item, walk) ?? zeroOf(shape.item)));
    case 'map':
      if (!isObject(value)) return skip(shape, value, walk);
      return decodeMap(shape.value, value, walk);
    case 'schemaOrBool':
      return typeof value === 'boolean' ? value : decode(crdSchema(), value, walk);
    case 'schemaOrArray':
      if (!Array.isArray(value)) return decode(crdSchema(), value, walk);
      return value.map((item) => decode(crdSchema(), item, walk) ?? {});
    default:
      return decodeScalar(shape.kind, value, (wrong, more) => skip(shape, wrong, walk, more));
  }
}

function crdSchema(): Shape {
  return shapeOf('apiextensions.JSONSchemaProps');
}

function decodeStruct(
  name: string,
  fields: ReadonlyMap<string, ShapeField>,
  object: JsonObject,
  walk: Walk,
): JsonObject {
  const read = new Map<string, Json>();
  walk.structs.push(name);
  for (const [key, child] of walk.isConversion ? inFieldOrder(fields, object) : Object.entries(object)) {
    const field = fields.get(key);
    if (field === undefined) {
      walk.unknown.push(dottedPath([...walk.path, key]));
      continue;
    }
    walk.names.push(...field.via, key);
    const decoded = below(walk, key, () => decode(field.shape, child, walk));
    walk.names.length -= field.via.length + 1;
    if (decoded !== undefined) read.set(key, decoded);
  }
  walk.structs.pop();
  return encodeStruct(fields, read);
}

function* inFieldOrder(fields: ReadonlyMap<string, ShapeField>, object: JsonObject): Generator<[string, Json]> {
  for (const key of fields.keys()) {
    const value = Object.hasOwn(object, key) ? object[key] : undefined;
    if (value !== undefined) yield [key, value];
  }
}

function decodeMap(shape: Shape, object: JsonObject, walk: Walk): JsonObject {
  // fromEntries keeps a key `__proto__`, which an assignment would lose.
  return Object.fromEntries(
    Object.entries(object).map(([key, child]) => [
      key,
      below(walk, key, () => decode(shape, child, walk) ?? zeroOf(shape)),
    ]),
  );
}

/** What Go keeps in structs, which are never empty to it. */
const structKinds: ReadonlySet<string> = new Set([
  'struct',
  'time',
  'microTime',
  'quantity',
  'intOrString',
  'duration',
]);

/** Writes fields in Go's order, with those that Go never leaves out. */
function encodeStruct(fields: ReadonlyMap<string, ShapeField>, read: ReadonlyMap<string, Json>): JsonObject {
  const encoded: Record<string, Json> = {};
  for (const [name, { shape, omits }] of fields) {
    const value = read.get(name);
    if (omits === 'nothing') encoded[name] = isEmptyList(value) ? null : (value ?? zeroOf(shape));
    else if (value === undefined) {
      if (omits === 'empty' && structKinds.has(shape.kind)) encoded[name] = zeroOf(shape);
    } else if (!isOmitted(shape, value, omits)) encoded[name] = value;
  }
  return encoded;
}

/** Storage does not distinguish an empty list from an absent one. */
function isEmptyList(value: Json | undefined): boolean {
  return Array.isArray(value) && value.length === 0;
}

function isOmitted(shape: Shape, value: Json, omits: 'empty' | 'zero'): boolean {
  if (shape.kind === 'pointer') return false;
  if (shape.kind === 'struct') return omits === 'zero' && Object.keys(isObject(value) ? value : {}).length === 0;
  if (Array.isArray(value)) return value.length === 0;
  if (isObject(value)) return Object.keys(value).length === 0 && shape.kind === 'map';
  return !structKinds.has(shape.kind) && (value === '' || value === 0 || value === false);
}

/** Go's zero value of a type, as JSON shows it. */
function zeroOf(shape: Shape): Json {
  switch (shape.kind) {
    case 'struct':
      return encodeStruct(shape.fields, new Map());
    case 'string':
      return '';
    case 'bool':
      return false;
    case 'int32':
    case 'int64':
    case 'float64':
    case 'intOrString':
      return 0;
    case 'quantity':
      return '0';
    case 'duration':
      return '0s';
    default:
      return null;
  }
}

function below<T>(walk: Walk, step: Step, visit: () => T): T {
  walk.path.push(step);
  const result = visit();
  walk.path.pop();
  return result;
}

function skip(shape: Exclude<Shape, { kind: 'pointer' }>, value: Json, walk: Walk, more: Wrong = {}): undefined {
  if (walk.isConversion) throw new DecodeError(conversionMisfit(shape, value, more));
  const { names, structs, mismatches } = walk;
  const type = more.type ?? (shape.kind === 'struct' ? `v1.${shape.name}` : shape.name);
  const struct = structs.at(-1);
  const target =
    struct === undefined ? `value of type ${type}` : `struct field ${struct}.${names.join('.')} of type ${type}`;
  const message = more.message ?? `json: cannot unmarshal ${jsonTypeName(value)}${more.detail ?? ''} into Go ${target}`;
  if (more.isFatal === true) throw new DecodeError(message);
  mismatches.push(new DecodeError(message));
  return undefined;
}

/** A struct of which nothing is set, as Go writes it. */
export function emptyStruct(type: string): JsonObject {
  const empty = zeroOf(shapeOf(type));
  return isObject(empty) ? empty : {};
}
