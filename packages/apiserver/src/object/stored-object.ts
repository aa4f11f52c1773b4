import type { ObjectMeta } from '@manta/api';
import type { JsonObject } from './json.ts';

/** metadata of an object that has been accepted: what the server fills in is there. */
export interface StoredMeta extends ObjectMeta {
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly creationTimestamp: string;
  readonly managedFields?: readonly JsonObject[];
}

/** An object as the store keeps it: deeply frozen, in its storage version. */
export interface StoredObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: StoredMeta;
  readonly [field: string]: unknown;
}
