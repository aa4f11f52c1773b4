import { ownValue } from '@manta/base';
import { WireError, WireReader } from '@manta/kube';
import { isObject, type Json, type JsonObject } from '../object/json.ts';
import { messageTexts } from './fields.gen.ts';
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
  return Object.hasOwn(messageTexts, name);
}

/** Reads a message as the JSON that it stands for. */
export function decodeMessage(name: string, bytes: Buffer): Json {
  const special = ownValue(SPECIAL_MESSAGES, name);
  if (special !== undefined) return special(bytes);
  const fields = fieldsOf(name);
  const reader = new WireReader(bytes);
  const found: Draft = new Map();
  while (!reader.isAtEnd) {
    const { number, wire } = reader.tag();
    const field = fields.get(number);
    if (field === undefined) reader.skip(wire);
    else addField(found, field, reader);
  }
  return Object.fromEntries(
    [...found].map(([key, value]) => [key, value instanceof Map ? Object.fromEntries(value) : value]),
  );
}

/** A message that is being read: maps and lists grow in place, since copying them for each entry would take quadratic time. */
type Draft = Map<string, Json | Json[] | Map<string, Json>>;

function addField(found: Draft, field: Field, reader: WireReader): void {
  if (field.shape === 'map') {
    const [key, value] = entryOf(field.type, reader.bytes());
    const before = found.get(field.name);
    if (before instanceof Map) before.set(key, value);
    else found.set(field.name, new Map([[key, value]]));
    return;
  }
  const value = valueOf(field.type, reader);
  if (field.shape === 'many') {
    const before = found.get(field.name);
    if (Array.isArray(before)) before.push(value);
    else found.set(field.name, [value]);
  } else if (field.name === '') for (const [key, inner] of Object.entries(objectOf(value))) found.set(key, inner);
  else found.set(field.name, value);
}

function valueOf(type: string, reader: WireReader): Json {
  switch (type) {
    case 'string':
      return reader.text();
    case 'bytes':
      return reader.bytes().toString('base64');
    case 'bool':
      return reader.whole() !== 0;
    case 'int32':
    case 'int64':
      return reader.whole();
    case 'double':
      return reader.double();
    default:
      return decodeMessage(type, reader.bytes());
  }
}

function entryOf(type: string, bytes: Buffer): [string, Json] {
  const reader = new WireReader(bytes);
  let key = '';
  let value: Json | undefined;
  while (!reader.isAtEnd) {
    const { number, wire } = reader.tag();
    if (number === 1) key = reader.text();
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
    const text = ownValue(messageTexts, name);
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
