import { isObject, type Json, type JsonObject } from '../../json.ts';
import { messageTexts } from './fields.gen.ts';
import { WireError, WireReader } from './reader.ts';
import { SPECIAL_MESSAGES } from './special-messages.ts';

interface Field {
  /** Empty: the value's fields are the message's own. */
  readonly name: string;
  readonly type: string;
  readonly shape: 'one' | 'many' | 'map';
}

const parsed = new Map<string, ReadonlyMap<number, Field>>();

/** Whether messages of this name can be read. */
export function isKnownMessage(name: string): boolean {
  return name in messageTexts;
}

/** Reads a message as the JSON that it stands for. */
export function decodeMessage(name: string, bytes: Uint8Array): Json {
  const special = SPECIAL_MESSAGES[name];
  if (special !== undefined) return special(bytes);
  const fields = fieldsOf(name);
  const reader = new WireReader(bytes);
  const found: Record<string, Json> = {};
  while (!reader.isAtEnd) {
    const { number, wire } = reader.tag();
    const field = fields.get(number);
    if (field === undefined) reader.skip(wire);
    else addField(found, field, reader);
  }
  return found;
}

function addField(found: Record<string, Json>, field: Field, reader: WireReader): void {
  if (field.shape === 'map') {
    const [key, value] = entryOf(field.type, reader.bytes());
    found[field.name] = { ...objectOf(found[field.name]), [key]: value };
    return;
  }
  const value = valueOf(field.type, reader);
  if (field.shape === 'many') {
    const before = found[field.name];
    found[field.name] = [...(Array.isArray(before) ? before : []), value];
  } else if (field.name === '') Object.assign(found, objectOf(value));
  else found[field.name] = value;
}

function valueOf(type: string, reader: WireReader): Json {
  switch (type) {
    case 'string':
      return new TextDecoder().decode(reader.bytes());
    case 'bytes':
      return Buffer.from(reader.bytes()).toString('base64');
    case 'bool':
      return reader.varint() !== 0n;
    case 'int32':
    case 'int64':
      return Number(BigInt.asIntN(64, reader.varint()));
    case 'double':
      return reader.double();
    default:
      return decodeMessage(type, reader.bytes());
  }
}

function entryOf(type: string, bytes: Uint8Array): [string, Json] {
  const reader = new WireReader(bytes);
  let key = '';
  let value: Json | undefined;
  while (!reader.isAtEnd) {
    const { number, wire } = reader.tag();
    if (number === 1) key = new TextDecoder().decode(reader.bytes());
    else if (number === 2) value = valueOf(type, reader);
    else reader.skip(wire);
  }
  return [key, value ?? (type === 'string' || type === 'bytes' ? '' : {})];
}

function objectOf(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {};
}

function fieldsOf(name: string): ReadonlyMap<number, Field> {
  let fields = parsed.get(name);
  if (fields === undefined) {
    const text = messageTexts[name];
    if (text === undefined) throw new WireError(`no message is called ${name}`);
    fields = new Map(
      text
        .split(' ')
        .filter((part) => part !== '')
        .map(parseField),
    );
    parsed.set(name, fields);
  }
  return fields;
}

function parseField(text: string): [number, Field] {
  const [name = '', number = '', type = ''] = text.split(':');
  const shape = type.startsWith('[]') ? 'many' : type.startsWith('{}') ? 'map' : 'one';
  return [Number(number), { name, type: type.replace(/^(\[\]|\{\})/, ''), shape }];
}
