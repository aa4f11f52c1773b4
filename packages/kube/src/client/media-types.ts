import type { Content, Patch } from './client.ts';

const JSON_TYPE = 'application/json';

/** Header objects that never change, shared by all requests. */
export const ACCEPT_JSON = { accept: JSON_TYPE } as const;
export const SEND_JSON = { accept: JSON_TYPE, 'content-type': JSON_TYPE } as const;

/** Encodes what is built into Kubernetes in fewer bytes and less time; custom resources and some other servers have JSON only. */
const PROTOBUF_TYPE = 'application/vnd.kubernetes.protobuf';
export const ACCEPT_PROTOBUF = { accept: `${PROTOBUF_TYPE},${JSON_TYPE}` } as const;
/** Objects in requests are always JSON. */
export const SEND_FOR_PROTOBUF = { ...SEND_JSON, ...ACCEPT_PROTOBUF } as const;

export function isProtobuf(headers: Readonly<Record<string, string>>): boolean {
  return headers['content-type']?.startsWith(PROTOBUF_TYPE) === true;
}

const ACCEPT_METADATA = { accept: `${JSON_TYPE};as=PartialObjectMetadata;g=meta.k8s.io;v=v1,${JSON_TYPE}` } as const;
const ACCEPT_METADATA_LIST = {
  accept: `${JSON_TYPE};as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,${JSON_TYPE}`,
} as const;

/** What to accept for one object, or for each event of a watch. */
export function acceptObject(content: Content | undefined): typeof ACCEPT_METADATA | typeof ACCEPT_JSON {
  return content === 'metadata' ? ACCEPT_METADATA : ACCEPT_JSON;
}

export function acceptList(content: Content | undefined): typeof ACCEPT_METADATA_LIST | typeof ACCEPT_JSON {
  return content === 'metadata' ? ACCEPT_METADATA_LIST : ACCEPT_JSON;
}

export const SEND_PATCH: Readonly<Record<Patch['type'], { readonly accept: string; readonly 'content-type': string }>> =
  {
    merge: { accept: JSON_TYPE, 'content-type': 'application/merge-patch+json' },
    strategic: { accept: JSON_TYPE, 'content-type': 'application/strategic-merge-patch+json' },
    json: { accept: JSON_TYPE, 'content-type': 'application/json-patch+json' },
    apply: { accept: JSON_TYPE, 'content-type': 'application/apply-patch+yaml' },
  };
