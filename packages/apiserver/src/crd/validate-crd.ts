import { ownValue } from '@manta/base';
import { deepEqual } from '../object/deep-equal.ts';
import { forbidden, invalid, notSupported, required } from '../field/cause.ts';
import { GoStruct } from '../field/go-json.ts';
import { checkServiceName, checkSubdomainName } from '../field/names.ts';
import { isObject, type Json, type JsonObject } from '../object/json.ts';
import type { FieldCause } from '../status/status-error.ts';
import { checkSchema } from './structure.ts';

type Causes = readonly FieldCause[];

/** Checks a CustomResourceDefinition, all but its metadata. */
export function validateCrd(crd: JsonObject): Causes {
  const spec = objectAt(crd, 'spec');
  const names = objectAt(spec, 'names');
  const wanted = `${textAt(names, 'plural')}.${textAt(spec, 'group')}`;
  const name = textAt(objectAt(crd, 'metadata'), 'name');
  const versions = listAt(spec, 'versions');
  return [
    ...(name === wanted ? [] : [invalid('metadata.name', name, 'must be spec.names.plural+"."+spec.group')]),
    ...groupCauses(textAt(spec, 'group')),
    ...scopeCauses(textAt(spec, 'scope')),
    ...versions.flatMap((version, index) =>
      objectAt(version, 'schema')['openAPIV3Schema'] === undefined
        ? [required(`spec.versions[${index}].schema.openAPIV3Schema`)]
        : [],
    ),
    ...versions.flatMap((version, index) => versionCauses(version, `spec.versions[${index}]`)),
    ...sharedCauses(versions, 'schema', 'spec.validation', schemaCauses),
    ...sharedCauses(versions, 'subresources', 'spec.subresources', scaleCauses),
    ...sharedCauses(versions, 'additionalPrinterColumns', 'spec.additionalPrinterColumns', columnsCauses),
    ...firstNameCauses(versions),
    ...nameCauses(names),
    ...conversionCauses(spec),
    ...storedCauses(crd, versions),
  ];
}

/** Checks what an update did to a CustomResourceDefinition: what objects are stored under stays. */
export function validateCrdUpdate(crd: JsonObject, old: JsonObject): Causes {
  const [spec, before] = [objectAt(crd, 'spec'), objectAt(old, 'spec')];
  const conditions = listAt(objectAt(old, 'status'), 'conditions');
  const isEstablished = conditions.some((each) => each['type'] === 'Established' && each['status'] === 'True');
  const changed = (now: string, then: string, field: string) =>
    now === then ? [] : [invalid(field, now, 'field is immutable')];
  const [names, oldNames] = [objectAt(spec, 'names'), objectAt(before, 'names')];
  return [
    ...validateCrd(crd).filter(({ field }) => field !== 'metadata.name'),
    ...(isEstablished
      ? [
          ...changed(textAt(spec, 'scope'), textAt(before, 'scope'), 'spec.scope'),
          ...changed(textAt(names, 'kind'), textAt(oldNames, 'kind'), 'spec.names.kind'),
        ]
      : []),
    ...changed(textAt(spec, 'group'), textAt(before, 'group'), 'spec.group'),
    ...changed(textAt(names, 'plural'), textAt(oldNames, 'plural'), 'spec.names.plural'),
  ];
}

function groupCauses(group: string): Causes {
  if (group === '') return [required('spec.group')];
  const problems = checkSubdomainName(group);
  if (problems.length > 0) return [invalid('spec.group', group, problems.join(','))];
  return group.includes('.') ? [] : [invalid('spec.group', group, 'should be a domain with at least one dot')];
}

function scopeCauses(scope: string): Causes {
  const scopes = ['Cluster', 'Namespaced'];
  if (scope === '') return [required('spec.scope')];
  return scopes.includes(scope) ? [] : [notSupported('spec.scope', scope, scopes)];
}

function versionCauses(version: JsonObject, path: string): Causes {
  const isOddWarning = version['deprecated'] !== true && version['deprecationWarning'] !== undefined;
  return [
    ...versionNameCauses(version, `${path}.name`),
    ...(isOddWarning
      ? [
          invalid(
            `${path}.deprecationWarning`,
            version['deprecationWarning'],
            'can only be set for deprecated versions',
          ),
        ]
      : []),
  ];
}

function versionNameCauses(version: JsonObject, field: string): Causes {
  const name = textAt(version, 'name');
  const problems = checkServiceName(name);
  return problems.length === 0 ? [] : [invalid(field, name, problems.join(','))];
}

/** The first version is once more that of the whole definition. */
function firstNameCauses([first]: readonly JsonObject[]): Causes {
  return first === undefined || textAt(first, 'name') === '' ? [] : versionNameCauses(first, 'spec.version');
}

type CheckValue = (value: Json, path: string) => Causes;

/** Checks a field of all versions; what they have in common is reported once, for the definition as a whole. */
function sharedCauses(versions: readonly JsonObject[], key: string, shared: string, check: CheckValue): Causes {
  const values = versions.map((version) => ownValue(version, key));
  const [first] = values;
  if (first !== undefined && values.every((value) => deepEqual(value, first))) return check(first, shared);
  return values.flatMap((value, index) => (value === undefined ? [] : check(value, `spec.versions[${index}].${key}`)));
}

function schemaCauses(value: Json, path: string): Causes {
  const schema = isObject(value) ? value['openAPIV3Schema'] : undefined;
  return isObject(schema) ? checkSchema(schema, `${path}.openAPIV3Schema`) : [];
}

function columnsCauses(value: Json, path: string): Causes {
  const columns = Array.isArray(value) ? value : [];
  return columns.flatMap((column, index) => (isObject(column) ? columnCauses(column, `${path}[${index}]`) : []));
}

const columnTypes = ['boolean', 'date', 'integer', 'number', 'string'];
const columnFormats = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password'];

function columnCauses(column: JsonObject, path: string): Causes {
  const [type, format, jsonPath] = [textAt(column, 'type'), textAt(column, 'format'), textAt(column, 'jsonPath')];
  const causes: FieldCause[] = textAt(column, 'name') === '' ? [required(`${path}.name`)] : [];
  const oneOf = `must be one of ${columnTypes.join(',')}`;
  if (type === '') causes.push(required(`${path}.type`, oneOf));
  else if (!columnTypes.includes(type)) causes.push(invalid(`${path}.type`, type, oneOf));
  if (format !== '' && !columnFormats.includes(format)) {
    causes.push(invalid(`${path}.format`, format, `must be one of ${columnFormats.join(',')}`));
  }
  return [...causes, ...(jsonPath === '' ? [required(`${path}.JSONPath`)] : pathCauses(jsonPath, `${path}.JSONPath`))];
}

function pathCauses(path: string, field: string): Causes {
  if (!path.startsWith('.')) return [invalid(field, path, 'must be a simple json path starting with .')];
  return [];
}

function scaleCauses(subresources: Json, path: string): Causes {
  if (!isObject(subresources) || subresources['scale'] === undefined) return [];
  const scale = objectAt(subresources, 'scale');
  const check = (key: string, root: string) => {
    const value = textAt(scale, key);
    const field = `${path}.scale.${key}`;
    if (value === '') return [required(field)];
    return value.startsWith(`${root}.`) ? [] : [invalid(field, value, `should be a json path under ${root}`)];
  };
  return [...check('specReplicasPath', '.spec'), ...check('statusReplicasPath', '.status')];
}

function nameCauses(names: JsonObject): Causes {
  const [kind, listKind] = [textAt(names, 'kind'), textAt(names, 'listKind')];
  const label = (value: string, field: string, prefix = '') => {
    const problems = value === '' ? [] : checkServiceName(prefix === '' ? value : value.toLowerCase());
    return problems.length === 0 ? [] : [invalid(field, value, `${prefix}${problems.join(',')}`)];
  };
  const mixed = 'may have mixed case, but should otherwise match: ';
  return [
    ...['plural', 'singular', 'kind', 'listKind'].flatMap((key) =>
      textAt(names, key) === '' ? [required(`spec.names.${key}`)] : [],
    ),
    ...label(textAt(names, 'plural'), 'spec.names.plural'),
    ...label(textAt(names, 'singular'), 'spec.names.singular'),
    ...label(kind, 'spec.names.kind', mixed),
    ...label(listKind, 'spec.names.listKind', mixed),
    ...texts(names, 'shortNames').flatMap((name, index) => label(name, `spec.names.shortNames[${index}]`)),
    ...(kind !== '' && kind === listKind
      ? [invalid('spec.names.listKind', listKind, 'kind and listKind may not be the same')]
      : []),
    ...texts(names, 'categories').flatMap((name, index) => label(name, `spec.names.categories[${index}]`)),
  ];
}

function conversionCauses(spec: JsonObject): Causes {
  const strategy = textAt(objectAt(spec, 'conversion'), 'strategy');
  const versions = listAt(spec, 'versions');
  const causes: FieldCause[] = [];
  if (new Set(versions.map((version) => version['name'])).size < versions.length) {
    causes.push(invalid('spec.versions', versions.map(goVersion), 'must contain unique version names'));
  }
  if (versions.filter((version) => version['storage'] === true).length !== 1) {
    causes.push(
      invalid('spec.versions', versions.map(goVersion), 'must have exactly one version marked as storage version'),
    );
  }
  if (strategy !== 'None' && strategy !== 'Webhook') {
    causes.push(notSupported('spec.conversion.strategy', strategy, ['None', 'Webhook']));
  }
  if (strategy === 'None' && objectAt(spec, 'conversion')['webhook'] !== undefined) {
    causes.push(
      forbidden('spec.conversion.webhookClientConfig', 'should not be set when strategy is not set to Webhook'),
    );
  }
  return causes;
}

/** The server shows its own in-memory form, without what all versions have in common. */
function goVersion(version: JsonObject): GoStruct {
  return new GoStruct({
    Name: textAt(version, 'name'),
    Served: version['served'] === true,
    Storage: version['storage'] === true,
    Deprecated: version['deprecated'] === true,
    DeprecationWarning: version['deprecationWarning'] ?? null,
    Schema: null,
    Subresources: null,
    AdditionalPrinterColumns: null,
    SelectableFields: null,
  });
}

function storedCauses(crd: JsonObject, versions: readonly JsonObject[]): Causes {
  const stored = texts(objectAt(crd, 'status'), 'storedVersions');
  if (stored.length === 0) return [invalid('status.storedVersions', null, 'must have at least one stored version')];
  const known = new Set(versions.map((version) => textAt(version, 'name')));
  return stored.flatMap((name, index) => {
    const problem = `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`;
    return known.has(name) ? [] : [invalid(`status.storedVersions[${index}]`, name, problem)];
  });
}

function objectAt(object: JsonObject, key: string): JsonObject {
  const value = ownValue(object, key);
  return isObject(value) ? value : {};
}

function textAt(object: JsonObject, key: string): string {
  const value = ownValue(object, key);
  return typeof value === 'string' ? value : '';
}

function listAt(object: JsonObject, key: string): readonly JsonObject[] {
  const value = ownValue(object, key);
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function texts(object: JsonObject, key: string): readonly string[] {
  const value = ownValue(object, key);
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
