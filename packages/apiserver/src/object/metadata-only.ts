import type { StoredObject } from './stored-object.ts';

/** The object as PartialObjectMetadata. */
export function metadataOnly({ metadata }: StoredObject): StoredObject {
  return { apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadata', metadata };
}
