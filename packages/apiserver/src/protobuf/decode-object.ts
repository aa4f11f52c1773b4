import { WireError, WireReader } from '@manta/kube';
import { isObject, type JsonObject } from '../object/json.ts';
import { decodeMessage, isKnownMessage } from './decode-message.ts';

/** Objects in protobuf begin with these four bytes. */
const MAGIC = [0x6b, 0x38, 0x73, 0x00];

/** Reads an object that a typed client sent: what kind it is, then the kind's own message. Throws where the bytes are no object. */
export function decodeProtobuf(bytes: Uint8Array): JsonObject {
  if (!MAGIC.every((byte, index) => bytes[index] === byte)) {
    throw new WireError('provided data does not appear to be a protobuf message, expected prefix 6b387300');
  }
  const { apiVersion, kind, raw } = envelope(
    Buffer.from(bytes.buffer, bytes.byteOffset + MAGIC.length, bytes.length - MAGIC.length),
  );
  const name = `${packageOf(apiVersion, kind)}.${kind}`;
  if (!isKnownMessage(name)) throw new WireError(`no kind "${kind}" is registered for version "${apiVersion}"`);
  const object = decodeMessage(name, raw);
  return { apiVersion, kind, ...(isObject(object) ? object : {}) };
}

function envelope(bytes: Buffer): { apiVersion: string; kind: string; raw: Buffer } {
  const reader = new WireReader(bytes);
  let type = { apiVersion: '', kind: '' };
  let raw: Buffer = Buffer.alloc(0);
  while (!reader.isAtEnd) {
    const { number, wire } = reader.tag();
    if (number === 1) type = typeMeta(reader.inner());
    else if (number === 2) raw = reader.bytes();
    else reader.skip(wire);
  }
  return { ...type, raw };
}

function typeMeta(reader: WireReader): { apiVersion: string; kind: string } {
  const found = { apiVersion: '', kind: '' };
  while (!reader.isAtEnd) {
    const { number, wire } = reader.tag();
    if (number === 1) found.apiVersion = reader.text();
    else if (number === 2) found.kind = reader.text();
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
