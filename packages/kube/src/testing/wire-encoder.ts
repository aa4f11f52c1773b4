import type { Field, Shape } from '../wire/shape.ts';

/** Writes what the reader of protobuf messages reads, for its tests. */
export function encodeMessage(message: Readonly<Record<string, unknown>>, shape: Shape): Buffer {
  return Buffer.concat(
    [...shape].flatMap(([number, field]) => {
      const value = message[field.name];
      return value === undefined
        ? []
        : (Array.isArray(value) ? value : [value]).map((each) => one(number, field, each));
    }),
  );
}

function one(number: number, field: Field, value: ReturnType<JSON['parse']>): Buffer {
  switch (field.type) {
    case 'whole':
      return Buffer.concat([tag(number, 0), varint(value)]);
    case 'flag':
      return Buffer.concat([tag(number, 0), varint(value ? 1 : 0)]);
    case 'map':
      return Buffer.concat(
        Object.entries<string>(value).map(([key, text]) =>
          lengthDelimited(
            number,
            Buffer.concat([lengthDelimited(1, Buffer.from(key)), lengthDelimited(2, Buffer.from(text))]),
          ),
        ),
      );
    case 'message':
    case 'messages':
      return lengthDelimited(number, encodeMessage(value, field.shape));
    default:
      return lengthDelimited(number, Buffer.from(value));
  }
}

/** An object with what stands before it. */
export function encodeEnvelope(kind: string, object: Buffer): Buffer {
  const type = lengthDelimited(1, lengthDelimited(2, Buffer.from(kind)));
  return Buffer.concat([Buffer.from('k8s\0'), type, lengthDelimited(2, object)]);
}

/** One event of a watch, as an API server sends it. */
export function encodeEvent(type: string, kind: string, object: Buffer): Buffer {
  const raw = lengthDelimited(1, encodeEnvelope(kind, object));
  return frame(Buffer.concat([lengthDelimited(1, Buffer.from(type)), lengthDelimited(2, raw)]));
}

export function frame(bytes: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

export function lengthDelimited(number: number, bytes: Buffer): Buffer {
  return Buffer.concat([tag(number, 2), varint(bytes.length), bytes]);
}

export function tag(number: number, wireType: number): Buffer {
  return varint(number * 8 + wireType);
}

export function varint(value: number): Buffer {
  const bytes: number[] = [];
  let left = BigInt.asUintN(64, BigInt(value));
  for (; left >= 0x80n; left >>= 7n) bytes.push(Number(left & 0x7fn) | 0x80);
  return Buffer.from([...bytes, Number(left)]);
}
