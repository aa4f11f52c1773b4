import { ownValue } from '@manta/base';
import { shapeTexts } from './shapes.gen.ts';

/** How Go reads and writes a value. */
export type Shape =
  | {
      readonly kind: 'struct';
      readonly type: string;
      readonly name: string;
      readonly fields: ReadonlyMap<string, ShapeField>;
    }
  | { readonly kind: 'list'; readonly name: string; readonly item: Shape }
  | { readonly kind: 'map'; readonly name: string; readonly value: Shape }
  | { readonly kind: 'pointer'; readonly to: Shape }
  | { readonly kind: ScalarKind; readonly name: string };

/** Values without parts, as far as Go's decoder is concerned. */
export type ScalarKind =
  | 'any'
  | 'bool'
  | 'bytes'
  | 'duration'
  | 'float64'
  | 'int32'
  | 'int64'
  | 'intOrString'
  | 'microTime'
  | 'quantity'
  | 'schemaOrArray'
  | 'schemaOrBool'
  | 'string'
  | 'time';

/** A field of a struct; its shape is looked up when first asked for, since types contain themselves. */
export interface ShapeField {
  readonly shape: Shape;
  /** What Go leaves out: nothing, empty values, or zero values of any kind. */
  readonly omits: 'nothing' | 'empty' | 'zero';
  /** The types that lend the field to the struct, outermost first; Go's errors name them. */
  readonly via: readonly string[];
}

const scalars: Readonly<Record<string, ScalarKind>> = {
  '[]byte': 'bytes',
  any: 'any',
  'apiextensions.JSON': 'any',
  'apiextensions.JSONSchemaPropsOrArray': 'schemaOrArray',
  'apiextensions.JSONSchemaPropsOrBool': 'schemaOrBool',
  'apiextensions.JSONSchemaPropsOrStringArray': 'any',
  bool: 'bool',
  float64: 'float64',
  int: 'int64',
  int32: 'int32',
  int64: 'int64',
  'interface{}': 'any',
  'intstr.IntOrString': 'intOrString',
  'meta.Duration': 'duration',
  'meta.FieldsV1': 'any',
  'meta.MicroTime': 'microTime',
  'meta.Time': 'time',
  'resource.Quantity': 'quantity',
  'runtime.RawExtension': 'any',
  string: 'string',
};

const shapes = new Map<string, Shape>();

/** The shape of a Go type, named as the generated table does: `core.Pod`, `[]core.Container`. */
export function shapeOf(type: string): Shape {
  let shape = shapes.get(type);
  if (shape === undefined) {
    shape = parse(type);
    shapes.set(type, shape);
  }
  return shape;
}

function parse(type: string): Shape {
  const scalar = ownValue(scalars, type);
  if (scalar !== undefined) return { kind: scalar, name: goName(type) };
  if (type.startsWith('*')) return { kind: 'pointer', to: shapeOf(type.slice(1)) };
  if (type.startsWith('[]')) return lazyList(type, type.slice(2));
  if (type.startsWith('map[]')) return lazyMap(type, type.slice(5));
  const text = ownValue(shapeTexts, type);
  if (text === undefined) throw new Error(`The generated table has no Go type ${type}.`);
  if (text.startsWith('=')) return renamed(shapeOf(text.slice(1)), goName(type));
  return { kind: 'struct', type, name: type.slice(type.indexOf('.') + 1), fields: fieldsOf(text) };
}

function renamed(shape: Shape, name: string): Shape {
  return shape.kind === 'pointer' ? shape : { ...shape, name };
}

function lazyList(type: string, item: string): Shape {
  return {
    kind: 'list',
    name: goName(type),
    get item() {
      return shapeOf(item);
    },
  };
}

function lazyMap(type: string, value: string): Shape {
  return {
    kind: 'map',
    name: goName(type),
    get value() {
      return shapeOf(value);
    },
  };
}

function fieldsOf(text: string): ReadonlyMap<string, ShapeField> {
  const fields = new Map<string, ShapeField>();
  for (const part of text === '' ? [] : text.split(' ')) {
    const [, name = '', mark, type = ''] = /^([^:?!]*)([?!]?):(.*)$/.exec(part) ?? [];
    if (name === '') {
      const inner = shapeOf(type.replace(/^\*/, ''));
      if (inner.kind === 'struct') for (const [key, field] of inner.fields) fields.set(key, lent(field, inner.name));
    } else {
      fields.set(name, {
        get shape() {
          return shapeOf(type);
        },
        omits: mark === '!' ? 'zero' : mark === '?' ? 'empty' : 'nothing',
        via: [],
      });
    }
  }
  return fields;
}

function lent(field: ShapeField, from: string): ShapeField {
  return {
    get shape() {
      return field.shape;
    },
    omits: field.omits,
    via: [from, ...field.via],
  };
}

/** A type's name as Go's error texts write it. */
function goName(type: string): string {
  return type
    .replaceAll('map[]', 'map[string]')
    .replaceAll('intstr.', 'intstr:')
    .replaceAll('types.', 'types:')
    .replaceAll(/\b\w+\./g, 'v1.')
    .replaceAll(':', '.')
    .replace('[]byte', '[]uint8');
}
