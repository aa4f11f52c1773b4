import type { CustomResourceDefinition } from '@manta/api';
import type { Clock } from '@manta/kube';
import {
  compileJsonPath,
  convertVersion,
  crdColumns,
  crdResourceInfo,
  crdVersions,
  createCrdStrategy,
} from '../crd/index.ts';
import { deepEqual } from '../deep-equal.ts';
import { type ResourceName, resourceName } from '../resource-info.ts';
import type { Schema } from '../schema.ts';
import type { Store } from '../store/contract.ts';
import type { StoredObject } from '../stored-object.ts';
import { establishedStatus } from './definition-status.ts';
import { timestamp } from './metadata.ts';
import type { Registry } from './registry.ts';
import type { ScalePaths, ServedResource, ServedVersion } from './served-resource.ts';
import { asJson, asStored } from './stored-json.ts';

const DEFINITIONS: ResourceName = 'apiextensions.k8s.io/customresourcedefinitions';

/** Serves what the stored definitions define, and follows their changes. The returned function ends it. */
export function serveDefinitions(store: Store, registry: Registry, clock: Clock): () => void {
  const follow = (object: StoredObject): void => {
    if (!establish(store, clock, object)) serve(registry, object);
  };
  for (const object of store.list(DEFINITIONS)) follow(object);
  return store.watch(
    store.revision,
    (event) => {
      if (event.type === 'DELETED') unserve(registry, event.object);
      else if (event.before === undefined || isChanged(event.before, event.object)) follow(event.object);
    },
    DEFINITIONS,
  );
}

/** Writes the status that makes a definition served; false where it is up to date. */
function establish(store: Store, clock: Clock, object: StoredObject): boolean {
  const status = establishedStatus(asDefinition(object), timestamp(clock.now()));
  if (deepEqual(status, object['status'])) return false;
  const key = { resource: DEFINITIONS, namespace: '', name: object.metadata.name };
  store.update(key, { ...object, status });
  return true;
}

function isChanged(before: StoredObject, after: StoredObject): boolean {
  return before['spec'] !== after['spec'] || before['status'] !== after['status'];
}

function unserve(registry: Registry, object: StoredObject): void {
  const { spec } = asDefinition(object);
  registry.remove(spec.group, spec.names.plural);
}

function serve(registry: Registry, object: StoredObject): void {
  const definition = asDefinition(object);
  const served = isEstablished(definition) ? servedDefinition(definition) : undefined;
  if (served === undefined) unserve(registry, object);
  else registry.serve(served);
}

function isEstablished({ status }: CustomResourceDefinition): boolean {
  return (status?.conditions ?? []).some(
    (condition) => condition.type === 'Established' && condition.status === 'True',
  );
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
    const declared = definition.spec.versions.find((version) => version.name === name);
    if (found === undefined || storage === undefined) continue;
    const { version, strategy } = found;
    const apiVersion = `${info.group}/${name}`;
    const storageVersion = `${info.group}/${storage.version.name}`;
    versions.set(name, {
      resource: info,
      name,
      apiVersion,
      schema: version.schema ?? ANYTHING,
      resolve: (same) => same,
      strategy,
      isBuiltin: false,
      hasStatus: version.hasStatus,
      ...(version.scale === undefined ? {} : { scale: scalePaths(version.scale) }),
      selectableFields: Object.fromEntries(
        version.selectableFields.map((path) => [path.replace(/^\./, ''), reader(path)]),
      ),
      columns: crdColumns(declared?.additionalPrinterColumns),
      ...(version.deprecationWarning === undefined ? {} : { deprecationWarning: version.deprecationWarning }),
      fromStored: memoized((object) => convertVersion(asJson(object), apiVersion, strategy)),
      toStored: (object) => convertVersion(object, storageVersion, storage.strategy),
    });
  }
  return {
    info,
    storedAs: resourceName(info),
    versions,
    isVirtual: false,
    rules: {
      allowsCreateOnUpdate: false,
      allowsUnconditionalUpdate: false,
      returnsDeletedObject: false,
      hasGeneration: true,
      isGraceful: false,
      isGarbageCollected: true,
      statusFields: ['status'],
    },
  };
}

const ANYTHING: Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

/** Stored objects never change, so each is converted once. */
function memoized(
  convert: (object: StoredObject) => ReturnType<typeof asJson>,
): (object: StoredObject) => StoredObject {
  const known = new WeakMap<StoredObject, StoredObject>();
  return (object) => {
    const before = known.get(object);
    if (before !== undefined) return before;
    const converted = asStored(convert(object));
    known.set(object, converted);
    return converted;
  };
}

function scalePaths(scale: {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath?: string;
}): ScalePaths {
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

function asDefinition(object: StoredObject): CustomResourceDefinition {
  // Definitions are checked when they are written.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return object as unknown as CustomResourceDefinition;
}
