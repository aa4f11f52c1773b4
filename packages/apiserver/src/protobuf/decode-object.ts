import { isObject, type JsonObject } from '../object/json.ts';
import { decodeMessage, isKnownMessage } from './decode-message.ts';
import { WireError, WireReader } from './reader.ts';

/** Objects in protobuf begin with these four bytes. */
const MAGIC = [0x6b, 0x38, 0x73, 0x00];

/** Reads an object that a typed client sent: what kind it is, then the kind's own message. Throws where the bytes are no object. */
export function decodeProtobuf(bytes: Uint8Array): JsonObject {
  if (!MAGIC.every((byte, index) => bytes[index] === byte)) {
    throw new WireError('provided data does not appear to be a protobuf message, expected prefix 6b387300');
  }
  const { apiVersion, kind, raw } = envelope(bytes.subarray(MAGIC.length));
  const name = `${packageOf(apiVersion, kind)}.${kind}`;
  if (!isKnownMessage(name)) throw new WireError(`no kind "${kind}" is registered for version "${apiVersion}"`);
  const object = decodeMessage(name, raw);
  return { apiVersion, kind, ...(isObject(object) ? object : {}) };
}

function envelope(bytes: Uint8Array): { apiVersion: string; kind: string; raw: Uint8Array } {
  const reader = new WireReader(bytes);
  let type = { apiVersion: '', kind: '' };
  let raw = new Uint8Array();
  while (!reader.isAtEnd) {
    const { number, wire } = reader.tag();
    if (number === 1) type = typeMeta(reader.bytes());
    else if (number === 2) raw = Uint8Array.from(reader.bytes());
    else reader.skip(wire);
  }
  return { ...type, raw };
}

function typeMeta(bytes: Uint8Array): { apiVersion: string; kind: string } {
  const reader = new WireReader(bytes);
  const found = { apiVersion: '', kind: '' };
  while (!reader.isAtEnd) {
    const { number, wire } = reader.tag();
    if (number === 1) found.apiVersion = new TextDecoder().decode(reader.bytes());
    else if (number === 2) found.kind = new TextDecoder().decode(reader.bytes());
    else reader.skip(wire);
  }
  return found;
}

/** `v1` is core, `rbac.authorization.k8s.io/v1` is rbac. DeleteOptions are the same in every group. */
function packageOf(apiVersion: string, kind: string): string {
  if (kind === 'DeleteOptions') return 'meta';
  if (!apiVersion.includes('/')) return 'core';
  return apiVersion.split(/[./]/)[0] ?? '';
}
