import { ownValue } from '@manta/base';
import { goQuote } from '@manta/api';
import { deepEqual } from '../object/deep-equal.ts';
import { isObject, type Json, type JsonObject } from '../object/json.ts';
import type { FieldCause } from '../status/status-error.ts';
import { forbidden, invalid, required, tooLong } from './cause.ts';
import { byteLength, type CheckText, checkLabelName, checkLabelValue, checkQualifiedName } from './names.ts';

const maxAnnotationBytes = 256 * 1024;

/** How an object's metadata is checked. */
export interface MetaRules {
  readonly isNamespaced: boolean;
  readonly checkName: CheckText;
  /** The older check, which looks at generateName, too. */
  readonly checksGenerateName: boolean;
}

/** Checks the metadata of an object that is about to be created, its name already generated. */
export function validateMeta(meta: JsonObject, rules: MetaRules, path = 'metadata'): readonly FieldCause[] {
  return [...nameCauses(meta, rules, path), ...namespaceCauses(meta, rules, path), ...commonCauses(meta, path)];
}

function nameCauses(meta: JsonObject, { checkName, checksGenerateName }: MetaRules, path: string): FieldCause[] {
  const name = text(meta['name']);
  const prefix = text(meta['generateName']);
  const causes: FieldCause[] = [];
  if (checksGenerateName && prefix !== '') {
    for (const problem of checkName(maskTrailingDash(prefix)))
      causes.push(invalid(`${path}.generateName`, prefix, problem));
  }
  if (name === '') causes.push(required(`${path}.name`, 'name or generateName is required'));
  else for (const problem of checkName(name)) causes.push(invalid(`${path}.name`, name, problem));
  return causes;
}

/** A prefix may end in a dash, since something follows it. */
function maskTrailingDash(prefix: string): string {
  return prefix.length > 1 && prefix.endsWith('-') ? `${prefix.slice(0, -2)}a` : prefix;
}

function namespaceCauses(meta: JsonObject, { isNamespaced }: MetaRules, path: string): readonly FieldCause[] {
  const namespace = text(meta['namespace']);
  const field = `${path}.namespace`;
  if (!isNamespaced) return namespace === '' ? [] : [forbidden(field, 'not allowed on this type')];
  if (namespace === '') return [required(field)];
  return checkLabelName(namespace).map((problem) => invalid(field, namespace, problem));
}

function commonCauses(meta: JsonObject, path: string): readonly FieldCause[] {
  const generation = meta['generation'];
  const isNegative = typeof generation === 'number' && generation < 0;
  return [
    ...(isNegative ? [invalid(`${path}.generation`, generation, 'must be greater than or equal to 0')] : []),
    ...validateLabels(meta['labels'], `${path}.labels`),
    ...validateAnnotations(meta['annotations'], `${path}.annotations`),
    ...ownerCauses(meta['ownerReferences'], `${path}.ownerReferences`),
    ...finalizerCauses(meta['finalizers'], `${path}.finalizers`),
  ];
}

/** Checks a map of labels, or of labels that a selector asks for. */
export function validateLabels(labels: Json | undefined, field: string): readonly FieldCause[] {
  return entries(labels).flatMap(([key, value]) => [
    ...checkQualifiedName(key).map((problem) => invalid(field, key, problem)),
    ...checkLabelValue(value).map((problem) => invalid(field, value, problem)),
  ]);
}

/** Checks a map of annotations. */
export function validateAnnotations(annotations: Json | undefined, field: string): readonly FieldCause[] {
  const all = entries(annotations);
  const causes = all.flatMap(([key]) =>
    checkQualifiedName(key.toLowerCase()).map((problem) => invalid(field, key, problem)),
  );
  const size = all.reduce((sum, [key, value]) => sum + byteLength(key) + byteLength(value), 0);
  return size > maxAnnotationBytes ? [...causes, tooLong(field, maxAnnotationBytes)] : causes;
}

function ownerCauses(owners: Json | undefined, field: string): readonly FieldCause[] {
  if (!Array.isArray(owners)) return [];
  const causes: FieldCause[] = [];
  let controller = '';
  for (const owner of owners.filter(isObject)) {
    causes.push(...ownerFieldCauses(owner, field));
    if (owner['controller'] !== true) continue;
    const name = `${text(owner['kind'])}/${text(owner['name'])}`;
    if (controller === '') controller = name;
    else {
      const problem = `Only one reference can have Controller set to true. Found "true" in references for ${controller} and ${name}`;
      causes.push(invalid(field, owners, problem));
    }
  }
  return causes;
}

function ownerFieldCauses(owner: JsonObject, field: string): readonly FieldCause[] {
  const causes: FieldCause[] = [];
  const apiVersion = text(owner['apiVersion']);
  if (!/^([^/]+\/)?[^/]+$/.test(apiVersion)) {
    causes.push(invalid(`${field}.apiVersion`, apiVersion, 'version must not be empty'));
  }
  for (const key of ['kind', 'name', 'uid']) {
    if (text(ownValue(owner, key)) === '') causes.push(invalid(`${field}.${key}`, '', 'must not be empty'));
  }
  if (apiVersion === 'v1' && owner['kind'] === 'Event') {
    causes.push(invalid(field, owner, '/v1, Kind=Event is disallowed from being an owner'));
  }
  return causes;
}

function finalizerCauses(finalizers: Json | undefined, field: string): readonly FieldCause[] {
  if (!Array.isArray(finalizers)) return [];
  const names = finalizers.map(text);
  const causes = names.flatMap((name) => checkQualifiedName(name).map((problem) => invalid(field, name, problem)));
  if (!names.includes('orphan') || !names.includes('foregroundDeletion')) return causes;
  return [...causes, invalid(field, names, 'finalizer orphan and foregroundDeletion cannot be both set')];
}

const standardFinalizers: ReadonlySet<string> = new Set(['orphan', 'foregroundDeletion', 'kubernetes']);

/** Checks that finalizers name a domain, as those of most built-in kinds must. */
export function validateFinalizerDomains(meta: JsonObject, path = 'metadata'): readonly FieldCause[] {
  const problem = 'name is neither a standard finalizer name nor is it fully qualified';
  return texts(meta['finalizers']).flatMap((name, index) =>
    name.includes('/') || standardFinalizers.has(name) ? [] : [invalid(`${path}.finalizers[${index}]`, name, problem)],
  );
}

const immutable = ['name', 'namespace', 'uid', 'creationTimestamp', 'deletionTimestamp', 'deletionGracePeriodSeconds'];

/** Checks what an update did to the metadata of an object. */
export function validateMetaUpdate(meta: JsonObject, old: JsonObject, path = 'metadata'): readonly FieldCause[] {
  const causes: FieldCause[] = [];
  if (old['deletionTimestamp'] !== undefined) causes.push(...newFinalizerCauses(meta, old, path));
  if (text(meta['resourceVersion']) === '') {
    causes.push(invalid(`${path}.resourceVersion`, '', 'must be specified for an update'));
  }
  if (count(meta['generation']) < count(old['generation'])) {
    causes.push(invalid(`${path}.generation`, count(meta['generation']), 'must not be decremented'));
  }
  for (const key of immutable) {
    if (!deepEqual(ownValue(meta, key), ownValue(old, key))) {
      causes.push(invalid(`${path}.${key}`, ownValue(meta, key) ?? emptyOf(key), 'field is immutable'));
    }
  }
  return [
    ...causes,
    ...validateLabels(meta['labels'], `${path}.labels`),
    ...validateAnnotations(meta['annotations'], `${path}.annotations`),
    ...ownerCauses(meta['ownerReferences'], `${path}.ownerReferences`),
  ];
}

function emptyOf(key: string): string | null {
  return key === 'name' || key === 'namespace' || key === 'uid' ? '' : null;
}

function newFinalizerCauses(meta: JsonObject, old: JsonObject, path: string): readonly FieldCause[] {
  const before = new Set(texts(old['finalizers']));
  const added = texts(meta['finalizers']).filter((name) => !before.has(name));
  if (added.length === 0) return [];
  const list = [...new Set(added)].toSorted().map(goQuote).join(', ');
  const problem = `no new finalizers can be added if the object is being deleted, found new finalizers []string{${list}}`;
  return [forbidden(`${path}.finalizers`, problem)];
}

function entries(map: Json | undefined): readonly (readonly [string, string])[] {
  return isObject(map) ? Object.entries(map).map(([key, value]) => [key, text(value)] as const) : [];
}

function texts(list: Json | undefined): readonly string[] {
  return Array.isArray(list) ? list.map(text) : [];
}

function text(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

function count(value: Json | undefined): number {
  return typeof value === 'number' ? value : 0;
}
