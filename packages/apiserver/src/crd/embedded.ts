import { ownValue } from '@manta/base';
import { invalid, required } from '../field/cause.ts';
import { checkPathSegment, checkServiceName } from '../field/names.ts';
import { validateMeta } from '../field/object-meta.ts';
import { fieldPath, type Step } from '../field/path.ts';
import { isObject, type Json, type JsonObject } from '../object/json.ts';
import type { FieldCause } from '../status/status-error.ts';
import type { SchemaNode } from './node.ts';
import { walkSchema } from './walk-schema.ts';

/** Checks `apiVersion`, `kind` and `metadata` of the objects that an object embeds. */
export function checkEmbedded(root: SchemaNode, object: Json): readonly FieldCause[] {
  const causes: FieldCause[] = [];
  const leads = ({ below }: SchemaNode) => below.embedded;
  walkSchema(root, object, leads, (node, value, path) => {
    if (node.isEmbedded && isObject(value)) checkResource(value, path, causes);
  });
  return causes;
}

function checkResource(resource: JsonObject, path: readonly Step[], causes: FieldCause[]): void {
  const field = (name: string) => fieldPath([...path, name]);
  for (const name of ['apiVersion', 'kind']) {
    const value = ownValue(resource, name);
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
