import { ownValue } from '@manta/base';
import { deepEqual } from '../object/deep-equal.ts';
import type { Step } from '../field/path.ts';
import { dottedPath } from '../field/path.ts';
import { isObject, type Json, type JsonObject } from '../object/json.ts';
import { fitNumber, fitString } from './fit-scalar.ts';
import { fitType } from './fit-type.ts';
import { findItem } from './list-keys.ts';
import type { PatternBudget } from './pattern-budget.ts';
import type { SchemaNode } from './node.ts';
import { missing, moreThan, notListed, type SchemaError, unfit, unplaced } from './schema-errors.ts';

/** Where a walk stands and what it has found. */
export interface Walk {
  readonly path: Step[];
  errors: SchemaError[];
  /** Shared by all parts of one object. */
  readonly patterns: PatternBudget;
}

/**
 * Adds to `walk.errors` how a value does not fit its schema. `old` is what stood there before an update, undefined where nothing
 * comparable did: what did not change is not held against the update. The result counts the checks that passed; it tells which
 * branch of an `anyOf` came closest.
 */
export function fit(node: SchemaNode, value: Json, old: Json | undefined, walk: Walk): number {
  const before = walk.errors.length;
  const count = check(node, value, old, walk);
  if (walk.errors.length > before && old !== undefined && deepEqual(value, old)) walk.errors.length = before;
  return count;
}

function check(node: SchemaNode, value: Json, old: Json | undefined, walk: Walk): number {
  let count = fitType(node, value, walk);
  if (value === null) {
    fitEnum(node, value, walk);
    return count;
  }
  count += fitBranches(node, value, old, walk);
  if (typeof value === 'string') count += fitString(node.schema, value, walk);
  if (typeof value === 'number') count += fitNumber(node.schema, value, walk);
  if (Array.isArray(value)) count += fitList(node, value, old, walk);
  fitEnum(node, value, walk);
  if (isObject(value)) count += fitObject(node, value, old, walk);
  return count + 2;
}

function fitEnum({ schema }: SchemaNode, value: Json, walk: Walk): void {
  const listed = schema.enum;
  if (listed === undefined || listed.length === 0 || listed.some((each) => deepEqual(each, value))) return;
  walk.errors.push(notListed(value, listed)(walk.path));
}

function fitList(node: SchemaNode, list: readonly Json[], old: Json | undefined, walk: Walk): number {
  const { schema, items } = node;
  const { path, errors } = walk;
  let count = 2;
  if (items !== undefined) {
    for (const [index, item] of list.entries()) {
      path.push(index);
      count += fit(items, item, findItem(schema, old, item), walk);
      path.pop();
    }
  }
  if (schema.minItems !== undefined && list.length < schema.minItems) {
    errors.push(unfit(list.length, `should have at least ${schema.minItems} items`)(path));
  }
  if (schema.maxItems !== undefined && list.length > schema.maxItems) {
    errors.push(moreThan(list.length, schema.maxItems, 'items')(path));
  }
  if (
    schema.uniqueItems === true &&
    list.some((item, index) => list.slice(0, index).some((other) => deepEqual(item, other)))
  ) {
    errors.push(unfit('', "shouldn't contain duplicates")(path));
  }
  return count;
}

function fitObject(node: SchemaNode, object: JsonObject, old: Json | undefined, walk: Walk): number {
  const { schema } = node;
  fitSize(node, object, walk);
  let count = 1;
  for (const key of Object.keys(object)) {
    const value = ownValue(object, key);
    if (value === undefined) continue;
    const property = node.properties.get(key);
    const child = property ?? node.additional;
    if (child === undefined) {
      if (schema.additionalProperties === false) {
        const said = unfit(key, 'is a forbidden property')([...walk.path, key]);
        walk.errors.push({ ...said, cause: { ...said.cause, field: dottedPath(walk.path) } });
      }
      continue;
    }
    walk.path.push(property === undefined ? { key } : key);
    const isTypeMeta = walk.path.length === 1 && (key === 'apiVersion' || key === 'kind');
    count += fit(child, value, isObject(old) && !isTypeMeta ? ownValue(old, key) : undefined, walk);
    walk.path.pop();
  }
  for (const name of schema.required ?? []) {
    if (ownValue(object, name) === undefined) walk.errors.push(missing([...walk.path, name]));
  }
  return count;
}

function fitSize({ schema }: SchemaNode, object: JsonObject, { path, errors }: Walk): void {
  const { minProperties, maxProperties } = schema;
  if (minProperties === undefined && maxProperties === undefined) return;
  const size = Object.keys(object).length;
  if (minProperties !== undefined && size < minProperties) {
    errors.push(unfit(size, `should have at least ${minProperties} properties`)(path));
  }
  if (maxProperties !== undefined && size > maxProperties)
    errors.push(moreThan(size, maxProperties, 'properties')(path));
}

interface Attempt {
  readonly errors: SchemaError[];
  readonly count: number;
}

function attempt(node: SchemaNode, value: Json, old: Json | undefined, walk: Walk): Attempt {
  const inner: Walk = { ...walk, errors: [] };
  // A branch as a whole is not excused for being as before; what lies below it is.
  const count = check(node, value, old, inner);
  return { errors: inner.errors, count };
}

function fitBranches(node: SchemaNode, value: Json, old: Json | undefined, walk: Walk): number {
  let count = 2;
  if (node.anyOf.length > 0) count += fitAny(node, value, old, walk);
  if (node.oneOf.length > 0) count += fitOne(node, value, old, walk);
  if (node.allOf.length > 0) count += fitAll(node, value, old, walk);
  if (node.not !== undefined && attempt(node.not, value, old, walk).errors.length === 0) {
    walk.errors.push(unplaced(`${quoted(walk)} must not validate the schema (not)`));
  }
  return count;
}

function fitAny({ anyOf }: SchemaNode, value: Json, old: Json | undefined, walk: Walk): number {
  let best: Attempt | undefined;
  for (const branch of anyOf) {
    const tried = attempt(branch, value, old, walk);
    if (tried.errors.length === 0) return tried.count;
    if (best === undefined || tried.count > best.count) best = tried;
  }
  walk.errors.push(unplaced(`${quoted(walk)} must validate at least one schema (anyOf)`), ...(best?.errors ?? []));
  return best?.count ?? 0;
}

function fitOne({ oneOf }: SchemaNode, value: Json, old: Json | undefined, walk: Walk): number {
  const tried = oneOf.map((branch) => attempt(branch, value, old, walk));
  const fitting = tried.filter(({ errors }) => errors.length === 0);
  if (fitting.length === 1) return fitting[0]?.count ?? 0;
  const found = fitting.length === 0 ? 'Found none valid' : `Found ${fitting.length} valid alternatives`;
  walk.errors.push(unplaced(`${quoted(walk)} must validate one and only one schema (oneOf). ${found}`));
  if (fitting.length > 0) return 0;
  const best = tried.reduce((a, b) => (b.count > a.count ? b : a));
  walk.errors.push(...best.errors);
  return best.count;
}

function fitAll({ allOf }: SchemaNode, value: Json, old: Json | undefined, walk: Walk): number {
  const tried = allOf.map((branch) => attempt(branch, value, old, walk));
  const failed = tried.filter(({ errors }) => errors.length > 0);
  for (const { errors } of failed) walk.errors.push(...errors);
  if (failed.length > 0) {
    const none = failed.length === tried.length ? '. None validated' : '';
    walk.errors.push(unplaced(`${quoted(walk)} must validate all the schemas (allOf)${none}`));
  }
  return tried.reduce((sum, { count }) => sum + count, 0);
}

function quoted({ path }: Walk): string {
  return JSON.stringify(dottedPath(path));
}
