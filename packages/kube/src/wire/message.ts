import { BYTES, VARINT, WireError, WireReader } from './reader.ts';
import type { Field, Shape } from './shape.ts';

type Message = Record<string, ReturnType<JSON['parse']>>;

/** Reads of a message what its shape names, as it would stand in JSON; texts that are empty are left out, as most are there, while zeros stay. */
export function readMessage(bytes: Buffer, shape: Shape): ReturnType<JSON['parse']> {
  return messageOf(new WireReader(bytes), shape);
}

function messageOf(reader: WireReader, shape: Shape): Message {
  const message: Message = {};
  readInto(message, reader, shape);
  return message;
}

function readInto(message: Message, reader: WireReader, shape: Shape): void {
  while (!reader.isAtEnd) {
    const tag = reader.whole();
    const wireType = tag & 7;
    const field = shape.get(tag >>> 3);
    if (field === undefined) reader.skip(wireType);
    else if (wireType === (field.type === 'whole' || field.type === 'flag' ? VARINT : BYTES))
      readField(message, reader, field);
    else throw new WireError(`field ${field.name} has the wire type ${wireType}`);
  }
}

function readField(message: Message, reader: WireReader, field: Field): void {
  const { name } = field;
  switch (field.type) {
    case 'text': {
      const text = reader.text();
      if (text !== '') message[name] = text;
      return;
    }
    case 'texts':
      return append(message, name, reader.text());
    case 'whole':
      message[name] = reader.whole();
      return;
    case 'flag':
      message[name] = reader.whole() !== 0;
      return;
    case 'time':
      message[name] = timeOf(reader.inner());
      return;
    case 'map':
      return addEntry(message, name, reader.inner());
    case 'bytes':
      message[name] = reader.bytes();
      return;
    case 'message':
      message[name] = messageOf(reader.inner(), field.shape);
      return;
    case 'messages':
      return append(message, name, messageOf(reader.inner(), field.shape));
    case 'inline':
      return readInto(message, reader.inner(), field.shape);
  }
}

function append(message: Message, name: string, value: unknown): void {
  const list = message[name];
  if (Array.isArray(list)) list.push(value);
  else message[name] = [value];
}

/** One entry of a map is a message of its own: the key is field 1, the value field 2. */
function addEntry(message: Message, name: string, reader: WireReader): void {
  let key = '';
  let value = '';
  while (!reader.isAtEnd) {
    const tag = reader.whole();
    if (tag === 8 + BYTES) key = reader.text();
    else if (tag === 16 + BYTES) value = reader.text();
    else reader.skip(tag & 7);
  }
  const map: Record<string, string> = (message[name] ??= {});
  // Also this is a key like any other.
  if (key === '__proto__')
    Object.defineProperty(map, key, { value, enumerable: true, configurable: true, writable: true });
  else map[key] = value;
}

/** Null where there is no time, as in JSON, or none that a calendar has. */
function timeOf(reader: WireReader): string | null {
  if (reader.isAtEnd) return null;
  let seconds = 0;
  while (!reader.isAtEnd) {
    const tag = reader.whole();
    if (tag === 8 + VARINT) seconds = reader.whole();
    else reader.skip(tag & 7);
  }
  const time = new Date(seconds * 1000);
  return Number.isNaN(time.getTime()) ? null : `${time.toISOString().slice(0, -5)}Z`;
}
