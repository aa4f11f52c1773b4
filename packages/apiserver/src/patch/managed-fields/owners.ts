import { isObject, type Json, type JsonObject } from '../../object/json.ts';
import type { FieldSet } from './field-set.ts';
import { decodeFieldsV1, encodeFieldsV1 } from './fields-v1.ts';

/** What one manager owns: an entry of `metadata.managedFields`. */
export interface Owner {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  readonly subresource: string;
  /** Absent where the manager never changed anything. */
  readonly time: string | undefined;
  readonly fields: FieldSet;
}

/** All managers of an object, by their identity. */
export type Owners = ReadonlyMap<string, Owner>;

/** Thrown for managedFields that cannot be read; says why. */
export class UnreadableOwners extends Error {}

/** The identity of a manager: appliers keep it across versions, updaters do not. */
export function ownerId({ manager, operation, apiVersion, subresource }: Omit<Owner, 'time' | 'fields'>): string {
  return JSON.stringify([manager, operation, operation === 'Apply' ? '' : apiVersion, subresource]);
}

/** What managers are sorted by where nothing else decides: their identity as the server writes it. */
export function identityText({ manager, operation, apiVersion, subresource }: Owner): string {
  return JSON.stringify({
    ...(manager === '' ? {} : { manager }),
    operation,
    ...(operation === 'Apply' ? {} : { apiVersion }),
    ...(subresource === '' ? {} : { subresource }),
  });
}

/** Reads `metadata.managedFields`. Throws UnreadableOwners. */
export function readOwners(entries: Json | undefined): Owners {
  if (!Array.isArray(entries)) return new Map();
  return new Map(
    entries.map((entry: Json, i) => {
      const owner = readOwner(isObject(entry) ? entry : {}, i);
      return [ownerId(owner), owner] as const;
    }),
  );
}

/** `metadata.managedFields`: appliers first, each group by time and then by name. */
export function writeOwners(owners: Owners): readonly JsonObject[] {
  return [...owners.values()].toSorted(compareOwners).map(writeOwner);
}

function readOwner(entry: JsonObject, i: number): Owner {
  const { operation, fieldsType } = entry;
  if (operation !== 'Apply' && operation !== 'Update') {
    throw new UnreadableOwners('operation must be `Apply` or `Update`');
  }
  const apiVersion = textOf(entry['apiVersion']);
  if (apiVersion === '') throw new UnreadableOwners('apiVersion must not be empty');
  if (textOf(fieldsType) === '') throw new UnreadableOwners(`missing fieldsType in managed fields entry ${i}`);
  if (fieldsType !== 'FieldsV1') {
    throw new UnreadableOwners(`invalid fieldsType ${JSON.stringify(fieldsType)} in managed fields entry ${i}`);
  }
  const time = entry['time'];
  return {
    manager: textOf(entry['manager']),
    operation,
    apiVersion,
    subresource: textOf(entry['subresource']),
    time: typeof time === 'string' ? time : undefined,
    fields: readFields(entry['fieldsV1']),
  };
}

function readFields(fields: Json | undefined): FieldSet {
  try {
    return decodeFieldsV1(fields);
  } catch {
    throw new UnreadableOwners('error decoding set');
  }
}

function writeOwner({ manager, operation, apiVersion, subresource, time, fields }: Owner): JsonObject {
  return {
    ...(manager === '' ? {} : { manager }),
    operation,
    apiVersion,
    ...(time === undefined ? {} : { time }),
    fieldsType: 'FieldsV1',
    fieldsV1: encodeFieldsV1(fields),
    ...(subresource === '' ? {} : { subresource }),
  };
}

function compareOwners(a: Owner, b: Owner): number {
  return (
    compareText(a.operation, b.operation) ||
    secondsOf(a) - secondsOf(b) ||
    compareText(a.manager, b.manager) ||
    compareText(a.apiVersion, b.apiVersion) ||
    compareText(a.subresource, b.subresource)
  );
}

/** When the owner last changed something, in seconds; the beginning of time where it never did. */
export function secondsOf({ time }: Owner): number {
  return time === undefined ? 0 : Math.floor(Date.parse(time) / 1000);
}

function compareText(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}
