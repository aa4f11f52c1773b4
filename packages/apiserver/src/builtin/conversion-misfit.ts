import type { Json } from '../object/json.ts';
import { jsonTypeName } from '../patch/patch-errors.ts';
import type { Wrong } from './decode-scalar.ts';
import type { Shape } from './shape.ts';

/** What Go says of a value that does not fit where it fills types from maps instead of reading a document. */
export function conversionMisfit(shape: Exclude<Shape, { kind: 'pointer' }>, value: Json, more: Wrong): string {
  const from = goKind(value);
  switch (shape.kind) {
    case 'struct':
      return `cannot restore struct from: ${from}`;
    case 'map':
      return `cannot restore map from ${from}`;
    case 'bytes':
      if (more.type === 'uint8')
        return from === 'float64' ? 'cannot convert float64 to uint8' : 'unrecognized type: uint8';
      return more.message === undefined
        ? `cannot restore slice from ${from}`
        : `error decoding from json: ${more.message}`;
    case 'list':
      return `cannot restore slice from ${from}`;
    case 'string':
      return from === 'int64' ? `cannot convert int64 to ${shape.name}` : 'unrecognized type: string';
    case 'int32':
    case 'int64':
      return from === 'float64' ? `cannot convert float64 to ${shape.name}` : `unrecognized type: ${shape.kind}`;
    case 'bool':
    case 'float64':
      return `unrecognized type: ${shape.kind}`;
    default: {
      const what = `${jsonTypeName(value)}${more.detail ?? ''}`;
      return more.message ?? `json: cannot unmarshal ${what} into Go value of type ${more.type ?? shape.name}`;
    }
  }
}

function goKind(value: Json): string {
  if (Array.isArray(value)) return 'slice';
  switch (typeof value) {
    case 'boolean':
      return 'bool';
    case 'number':
      return Number.isInteger(value) ? 'int64' : 'float64';
    case 'string':
      return 'string';
    default:
      return 'map';
  }
}
