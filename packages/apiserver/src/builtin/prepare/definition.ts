import type { JsonObject } from '../../object/json.ts';
import { emptyStruct } from '../decode.ts';
import { part, parts, text } from '../read.ts';

/** The status of a definition is the server's; it begins with the version that objects are stored in. */
export function prepareDefinition(object: JsonObject): JsonObject {
  const storage = parts(part(object, 'spec'), 'versions').find((version) => version['storage'] === true);
  const storedVersions = storage === undefined ? [] : [text(storage, 'name')];
  return { ...object, status: { ...emptyStruct('apiextensions.CustomResourceDefinitionStatus'), storedVersions } };
}
