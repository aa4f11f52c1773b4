import { VARINT, WireReader } from '@manta/kube';
import type { Json } from '../object/json.ts';

type Read = (bytes: Buffer) => Json;

/** Messages that JSON writes in a way of its own: times, quantities, numbers or texts, JSON inside. */
export const SPECIAL_MESSAGES: Readonly<Record<string, Read>> = {
  'meta.Time': (bytes) => time(bytes)?.replace(/\.\d+Z$/, 'Z') ?? null,
  'meta.MicroTime': time,
  'meta.FieldsV1': json,
  'meta.Verbs': items,
  'authentication.ExtraValue': items,
  'authorization.ExtraValue': items,
  'intstr.IntOrString': intOrString,
  'resource.Quantity': (bytes) => text(fieldsOf(bytes).get(1)),
  'runtime.RawExtension': json,
};

type Value = number | Buffer;

function fieldsOf(bytes: Buffer): ReadonlyMap<number, Value> {
  const reader = new WireReader(bytes);
  const fields = new Map<number, Value>();
  while (!reader.isAtEnd) {
    const { number: field, wire } = reader.tag();
    fields.set(field, wire === VARINT ? reader.whole() : reader.bytes());
  }
  return fields;
}

function text(value: Value | undefined): string {
  return typeof value === 'object' ? value.toString('utf8') : '';
}

function number(value: Value | undefined): number {
  return typeof value === 'number' ? value : 0;
}

/** No time at all is an empty message. */
function time(bytes: Buffer): string | null {
  if (bytes.length === 0) return null;
  const fields = fieldsOf(bytes);
  const micros = Math.floor(number(fields.get(2)) / 1000);
  const seconds = new Date(number(fields.get(1)) * 1000).toISOString().slice(0, 19);
  return `${seconds}.${String(micros).padStart(6, '0')}Z`;
}

function intOrString(bytes: Buffer): Json {
  const fields = fieldsOf(bytes);
  return number(fields.get(1)) === 0 ? number(fields.get(2)) : text(fields.get(3));
}

function json(bytes: Buffer): Json {
  const raw = text(fieldsOf(bytes).get(1));
  return raw === '' ? null : JSON.parse(raw);
}

function items(bytes: Buffer): Json {
  const reader = new WireReader(bytes);
  const found: string[] = [];
  while (!reader.isAtEnd) {
    const { number: field, wire } = reader.tag();
    if (field === 1) found.push(reader.text());
    else reader.skip(wire);
  }
  return found;
}
