import { API_SERVER_LIMITS, ownValue } from '@manta/base';
import { deepEqual } from '../object/deep-equal.ts';
import { isObject, type Json, type JsonObject } from '../object/json.ts';
import { StatusError } from '../status/status-error.ts';
import {
  changeContainer,
  child,
  NoSuchPlace,
  parsePointer,
  valueAt,
  withChild,
  withInserted,
  withoutChild,
} from './json-pointer.ts';
import { cannotUnmarshal, patchDoesNotApply, unreadablePatch } from './patch-errors.ts';

const MAX_OPERATIONS = API_SERVER_LIMITS.patchOperations;
/** Copies may not grow a document without bound: this many bytes of JSON in one patch. */
const MAX_COPIED_BYTES = API_SERVER_LIMITS.patchCopiedBytes;
const KNOWN_FIELDS: readonly string[] = ['op', 'path', 'from', 'value'];

/** Applies an RFC 6902 patch as the API server does, with its small liberties; throws a StatusError where it does not fit. */
export function applyJsonPatch(document: Json, operations: unknown): Json {
  const steps = readOperations(operations);
  if (steps.length > MAX_OPERATIONS) {
    const message = `The allowed maximum operations in a JSON patch is ${MAX_OPERATIONS}, got ${steps.length}`;
    throw new StatusError(413, 'RequestEntityTooLarge', `Request entity is too large: ${message}`);
  }
  const budget = { left: MAX_COPIED_BYTES };
  try {
    return steps.reduce((value, step) => applyStep(value, step, budget), document);
  } catch (error) {
    throw error instanceof NoSuchPlace ? patchDoesNotApply() : error;
  }
}

/** What the server warns of (or, with strict field validation, refuses): fields that no operation has. */
export function jsonPatchWarnings(operations: unknown): readonly string[] {
  if (!Array.isArray(operations)) return [];
  return operations.flatMap((operation: unknown, i) =>
    isObject(operation)
      ? Object.keys(operation)
          .filter((key) => !KNOWN_FIELDS.includes(key))
          .map((key) => `json patch unknown field "[${i}].${key}"`)
      : [],
  );
}

interface CopyBudget {
  left: number;
}

function readOperations(operations: unknown): readonly JsonObject[] {
  if (operations === null) return [];
  if (!Array.isArray(operations)) {
    throw unreadablePatch(
      `error decoding patch: ${cannotUnmarshal(operations, 'value of type []handlers.jsonPatchOp')}`,
    );
  }
  return operations.map(readOperation);
}

function readOperation(operation: unknown): JsonObject {
  if (operation === null) return {};
  if (!isObject(operation)) {
    throw unreadablePatch(`error decoding patch: ${cannotUnmarshal(operation, 'value of type handlers.jsonPatchOp')}`);
  }
  const wrong = ['op', 'path', 'from'].find(
    (key) => !isAbsent(ownValue(operation, key)) && typeof ownValue(operation, key) !== 'string',
  );
  if (wrong === undefined) return operation;
  const target = `struct field jsonPatchOp.${wrong} of type string`;
  throw unreadablePatch(`error decoding patch: ${cannotUnmarshal(ownValue(operation, wrong), target)}`);
}

function applyStep(document: Json, step: JsonObject, budget: CopyBudget): Json {
  const value = step['value'] ?? null;
  switch (step['op']) {
    case 'add':
      return add(document, placeOf(step, 'path'), value);
    case 'remove':
      return changeContainer(document, placeOf(step, 'path'), withoutChild);
    case 'replace':
      return replace(document, step, value);
    case 'move': {
      const from = placeOf(step, 'from');
      const moved = valueAt(document, from) ?? null;
      return add(changeContainer(document, from, withoutChild), placeOf(step, 'path'), moved);
    }
    case 'copy': {
      const copied = valueAt(document, placeOf(step, 'from')) ?? null;
      budget.left -= copied === null ? 0 : JSON.stringify(copied).length;
      if (budget.left < 0) throw new NoSuchPlace();
      return add(document, placeOf(step, 'path'), copied);
    }
    case 'test':
      return test(document, step, value);
    default:
      throw new NoSuchPlace();
  }
}

function add(document: Json, place: readonly string[], value: Json): Json {
  return changeContainer(document, place, (container, key) => withInserted(container, key, value));
}

function replace(document: Json, step: JsonObject, value: Json): Json {
  if (step['path'] === '') {
    if (typeof value !== 'object' || value === null) throw new NoSuchPlace();
    return value;
  }
  return changeContainer(document, placeOf(step, 'path'), (container, key) => {
    child(container, key);
    return withChild(container, key, value);
  });
}

function test(document: Json, step: JsonObject, value: Json): Json {
  const found = step['path'] === '' ? document : (valueAt(document, placeOf(step, 'path')) ?? null);
  if (!deepEqual(found, value)) throw new NoSuchPlace();
  return document;
}

function placeOf(step: JsonObject, field: 'path' | 'from'): readonly string[] {
  const text = ownValue(step, field);
  const place = typeof text === 'string' ? parsePointer(text) : undefined;
  if (place === undefined) throw new NoSuchPlace();
  return place;
}

function isAbsent(value: Json | undefined): boolean {
  return value === undefined || value === null;
}
