import { isObject, type Json } from '../../object/json.ts';
import type { Atom, MapType, MergeType } from './merge-type.ts';

/** Keeps of an atom only the form that the value has; all of it for null, absent values and values that fit none. */
export function narrow(atom: Atom, value: Json | undefined): Atom {
  if (value === undefined || value === null) return atom;
  if (Array.isArray(value)) return atom.list === undefined ? atom : { list: atom.list };
  if (isObject(value)) return atom.map === undefined ? atom : { map: atom.map };
  return atom.scalar === undefined ? atom : { scalar: atom.scalar };
}

/** How a value of an atom is walked: objects win over scalars, scalars over lists, where several are possible. */
export function formOf(atom: Atom): 'map' | 'scalar' | 'list' {
  if (atom.map !== undefined) return 'map';
  return atom.scalar === undefined ? 'list' : 'scalar';
}

/** Whether two atoms allow the same forms. */
export function isSameForm(a: Atom, b: Atom): boolean {
  return (
    (a.map === undefined) === (b.map === undefined) &&
    (a.scalar === undefined) === (b.scalar === undefined) &&
    (a.list === undefined) === (b.list === undefined)
  );
}

/** The value as a list; undefined for null, absent values and anything else. */
export function asList(value: Json | undefined): readonly Json[] | undefined {
  return Array.isArray(value) ? value : undefined;
}

/** The value as an object; undefined for null, absent values and anything else. */
export function asMap(value: Json | undefined): Readonly<Record<string, Json>> | undefined {
  return isObject(value) ? value : undefined;
}

/** The type of what stands at a key; undefined where the schema knows no such key. */
export function typeAt(map: MapType, key: string): MergeType | undefined {
  return map.fields.get(key)?.type ?? map.rest;
}
