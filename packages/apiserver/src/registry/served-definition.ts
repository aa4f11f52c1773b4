import type { CustomResourceDefinition } from '@manta/api';
import {
  type CrdVersion,
  compileJsonPath,
  crdColumns,
  crdResourceInfo,
  crdVersions,
  createCrdStrategy,
} from '../crd/index.ts';
import type { JsonObject } from '../object/json.ts';
import { resourceName } from '../object/resource-info.ts';
import type { Schema } from '../object/schema.ts';
import type { StoredObject } from '../object/stored-object.ts';
import type { ResourceRules, ScalePaths, ServedResource, ServedVersion } from './served-resource.ts';
import { asJson, asStored } from '../object/stored-json.ts';
import type { Strategy } from './strategy.ts';

const RULES: ResourceRules = {
  allowsCreateOnUpdate: false,
  allowsUnconditionalUpdate: false,
  returnsDeletedObject: false,
  hasGeneration: true,
  isGraceful: false,
  isGarbageCollected: true,
  orphansByDefault: false,
  statusFields: ['status'],
};

const ANYTHING: Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

interface Compiled {
  readonly version: CrdVersion;
  readonly strategy: Strategy;
}

/** A custom resource as its definition describes it; undefined where no version is served. */
export function servedDefinition(definition: CustomResourceDefinition): ServedResource | undefined {
  const info = crdResourceInfo(definition);
  if (info === undefined) return undefined;
  const all = crdVersions(definition).map((version) => ({ version, strategy: createCrdStrategy(version) }));
  const storage = all.find(({ version }) => version.isStorage);
  const versions = new Map<string, ServedVersion>();
  for (const name of info.versions) {
    const found = all.find(({ version }) => version.name === name);
    if (found === undefined || storage === undefined) continue;
    const columns = definition.spec.versions.find((version) => version.name === name)?.additionalPrinterColumns;
    versions.set(name, { ...servedVersion(found, storage), resource: info, columns: crdColumns(columns) });
  }
  return { info, storedAs: resourceName(info), versions, isVirtual: false, rules: RULES };
}

function servedVersion(
  { version, strategy }: Compiled,
  storage: Compiled,
): Omit<ServedVersion, 'resource' | 'columns'> {
  const apiVersion = `${version.group}/${version.name}`;
  const storageVersion = `${version.group}/${storage.version.name}`;
  const { deprecationWarning, scale } = version;
  return {
    name: version.name,
    apiVersion,
    schema: version.schema ?? ANYTHING,
    resolve: (same) => same,
    strategy,
    isBuiltin: false,
    hasStatus: version.hasStatus,
    ...(scale === undefined ? {} : { scale: scalePaths(scale) }),
    selectableFields: Object.fromEntries(
      version.selectableFields.map((path) => [path.replace(/^\./, ''), reader(path)]),
    ),
    ...(deprecationWarning === undefined ? {} : { deprecationWarning }),
    fromStored: memoized((object) => convert(asJson(object), apiVersion, strategy)),
    toStored: (object) => convert(object, storageVersion, storage.strategy),
  };
}

/** Without conversion a version shows what its schema knows; defaults were filled in when the object was written. */
function convert(object: JsonObject, apiVersion: string, strategy: Strategy): JsonObject {
  return object['apiVersion'] === apiVersion ? object : strategy.prune({ ...object, apiVersion }).object;
}

/** Stored objects never change, so each is converted once. */
function memoized(change: (object: StoredObject) => JsonObject): (object: StoredObject) => StoredObject {
  const known = new WeakMap<StoredObject, StoredObject>();
  return (object) => {
    const before = known.get(object);
    if (before !== undefined) return before;
    const converted = asStored(change(object));
    known.set(object, converted);
    return converted;
  };
}

function scalePaths(scale: NonNullable<CrdVersion['scale']>): ScalePaths {
  const path = (text: string) => text.replace(/^\./, '');
  return {
    specReplicas: path(scale.specReplicasPath),
    statusReplicas: path(scale.statusReplicasPath),
    ...(scale.labelSelectorPath === undefined ? {} : { labelSelector: path(scale.labelSelectorPath) }),
  };
}

function reader(path: string): ServedVersion['selectableFields'][string] {
  const read = compileJsonPath(path);
  return (object) => {
    const value = read?.(object)[0];
    if (value === undefined || value === null) return '';
    return typeof value === 'string' ? value : JSON.stringify(value);
  };
}
