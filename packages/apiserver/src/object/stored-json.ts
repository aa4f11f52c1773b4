import type { JsonObject } from './json.ts';
import type { NewObject } from '../store/contract.ts';
import type { StoredObject } from './stored-object.ts';

/** A stored object seen as plain JSON, which it is. */
export function asJson(object: StoredObject): JsonObject {
  // StoredObject types its fields as unknown; what is stored was decoded from JSON.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return object as unknown as JsonObject;
}

/** An object that the verbs have completed (name, uid, creation time), on its way to the store or to a client. */
export function asNew(object: JsonObject): NewObject {
  // The verbs set what StoredMeta requires before they store.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return object as unknown as NewObject;
}

/** An object as a version shows it. */
export function asStored(object: JsonObject): StoredObject {
  // Conversions keep the metadata that makes an object a stored one.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return object as unknown as StoredObject;
}
