import { invalid, required } from '../field/cause.ts';
import { checkPathSegment, checkServiceName } from '../field/names.ts';
import { validateMeta } from '../field/object-meta.ts';
import { fieldPath, type Step } from '../field/path.ts';
import { isObject, type Json, type JsonObject } from '../json.ts';
import type { FieldCause } from '../status-error.ts';
import type { SchemaNode } from './node.ts';

/** Checks `apiVersion`, `kind` and `metadata` of the objects that an object embeds. */
export function checkEmbedded(
  node: SchemaNode,
  value: Json,
  path: Step[] = [],
  causes: FieldCause[] = [],
): FieldCause[] {
  if (!node.below.embedded) return causes;
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) descend(node.items, item, index, path, causes);
  } else if (isObject(value)) {
    if (node.isEmbedded) checkResource(value, path, causes);
    for (const [key, child] of Object.entries(value)) {
      const property = node.properties.get(key);
      descend(property ?? node.additional, child, property === undefined ? { key } : key, path, causes);
    }
  }
  return causes;
}

function descend(node: SchemaNode | undefined, value: Json, step: Step, path: Step[], causes: FieldCause[]): void {
  if (node === undefined) return;
  path.push(step);
  checkEmbedded(node, value, path, causes);
  path.pop();
}

function checkResource(resource: JsonObject, path: readonly Step[], causes: FieldCause[]): void {
  const field = (name: string) => fieldPath([...path, name]);
  for (const name of ['apiVersion', 'kind']) {
    const value = resource[name];
    if (value === undefined) causes.push(required(field(name)));
    else if (typeof value !== 'string') causes.push(invalid(field(name), value, 'must be a string'));
    else if (value === '') causes.push(invalid(field(name), value, 'must not be empty'));
  }
  const { apiVersion, kind, metadata } = resource;
  if (typeof apiVersion === 'string' && apiVersion.split('/').length > 2) {
    causes.push(invalid(field('apiVersion'), apiVersion, `unexpected GroupVersion string: ${apiVersion}`));
  }
  if (typeof kind === 'string' && kind !== '') {
    const problems = checkServiceName(kind.toLowerCase());
    if (problems.length > 0) {
      causes.push(
        invalid(field('kind'), kind, `may have mixed case, but should otherwise match: ${problems.join(',')}`),
      );
    }
  }
  if (!isObject(metadata)) return;
  const isNamespaced = typeof metadata['namespace'] === 'string' && metadata['namespace'] !== '';
  const named = { ...metadata, name: metadata['name'] ?? 'fakename' };
  const rules = { isNamespaced, checkName: checkPathSegment, checksGenerateName: true };
  causes.push(...validateMeta(named, rules, field('metadata')));
}
