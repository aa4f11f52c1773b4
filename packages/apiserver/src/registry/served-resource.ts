import type { JsonObject } from '../object/json.ts';
import type { ResourceInfo, ResourceName } from '../object/resource-info.ts';
import type { ResolveSchema, Schema } from '../object/schema.ts';
import type { StoredObject } from '../object/stored-object.ts';
import type { PrinterColumn } from './printer-column.ts';
import type { Strategy } from './strategy.ts';

/** A resource that requests can reach: what discovery says of it, where its objects lie and how each of its versions behaves. */
export interface ServedResource {
  readonly info: ResourceInfo;
  /** Where the store keeps the objects; two resources may share a place (events of both groups). */
  readonly storedAs: ResourceName;
  readonly rules: ResourceRules;
  /** Answered at once and never stored: reviews. */
  readonly isVirtual: boolean;
  /** Preferred first. */
  readonly versions: ReadonlyMap<string, ServedVersion>;
}

/** How the generic verbs treat a resource. */
export interface ResourceRules {
  /** A PUT to a name that does not exist creates it. */
  readonly allowsCreateOnUpdate: boolean;
  /** A PUT without a resourceVersion overwrites whatever is there. */
  readonly allowsUnconditionalUpdate: boolean;
  /** A finished DELETE answers with the object rather than with a Status. */
  readonly returnsDeletedObject: boolean;
  /** `metadata.generation` counts the changes of anything but metadata and status. */
  readonly hasGeneration: boolean;
  /** Graceful deletion waits for the kubelet: pods. */
  readonly isGraceful: boolean;
  /** Whether the resource's dependents may be left behind or waited for; events are not tracked. */
  readonly isGarbageCollected: boolean;
  /** Dependents stay where a delete does not say otherwise: jobs. */
  readonly orphansByDefault: boolean;
  /** Fields of the object that the status subresource writes. */
  readonly statusFields: readonly string[];
}

/** One version of a served resource. */
export interface ServedVersion {
  readonly resource: ResourceInfo;
  readonly name: string;
  /** `v1` or `ray.io/v1`. */
  readonly apiVersion: string;
  readonly schema: Schema;
  readonly resolve: ResolveSchema;
  readonly strategy: Strategy;
  readonly hasStatus: boolean;
  /** Known to the server itself rather than by a definition. */
  readonly isBuiltin: boolean;
  readonly scale?: ScalePaths;
  /** Fields other than metadata.name and metadata.namespace that a field selector may name, and how each is read. */
  readonly selectableFields: Readonly<Record<string, (object: JsonObject) => string>>;
  readonly columns: readonly PrinterColumn[];
  readonly deprecationWarning?: string;
  /** The object as this version shows it; the very same object where nothing differs. */
  readonly fromStored: (object: StoredObject) => StoredObject;
  /** The object as the store keeps it. */
  readonly toStored: (object: JsonObject) => JsonObject;
}

/** Where a resource's `scale` lies in it, as JSON paths without the leading dot. */
export interface ScalePaths {
  readonly specReplicas: string;
  readonly statusReplicas: string;
  readonly labelSelector?: string;
}

/** `pods` or `rayclusters.ray.io`: how error texts name a resource. */
export function qualifiedResource({ group, plural }: Pick<ResourceInfo, 'group' | 'plural'>): string {
  return group === '' ? plural : `${plural}.${group}`;
}

/** `v1` or `ray.io/v1`. */
export function apiVersionOf(group: string, version: string): string {
  return group === '' ? version : `${group}/${version}`;
}
