import { isObject, type Json, type JsonObject } from '../object/json.ts';
import type { StoredObject } from '../object/stored-object.ts';
import type { View } from '../http/show.ts';
import type { PrinterColumn } from '../registry/printer-column.ts';
import { asJson } from '../object/stored-json.ts';

const NAME: PrinterColumn = {
  name: 'Name',
  type: 'string',
  format: 'name',
  description:
    'Name must be unique within a namespace. Is required when creating resources, although some resources may allow a client to request the generation of an appropriate name automatically. Name is primarily intended for creation idempotence and configuration definition. Cannot be updated. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names',
  priority: 0,
  cell: (object) => nameOf(object),
};

/** Objects as the Table that kubectl prints. */
export function tableOf(view: View, objects: readonly StoredObject[], metadata: object): unknown {
  const { columns: own } = view.scope.version;
  const columns = own.some(({ format }) => format === 'name') ? own : [NAME, ...own];
  const context = { nowMs: view.nowMs };
  return {
    kind: 'Table',
    apiVersion: view.representation.metaVersion,
    metadata,
    columnDefinitions: columns.map(({ name, type, format = '', description = '', priority }) => ({
      name,
      type,
      format,
      description,
      priority,
    })),
    rows: objects.map((object) => ({
      cells: columns.map(({ cell }): Json => cell(asJson(object), context)),
      object: included(view, object),
    })),
  };
}

function included({ includeObject, representation }: View, object: StoredObject): unknown {
  if (includeObject === 'None') return null;
  if (includeObject === 'Object') return object;
  return { kind: 'PartialObjectMetadata', apiVersion: representation.metaVersion, metadata: object.metadata };
}

function nameOf(object: JsonObject): string {
  const { metadata } = object;
  return isObject(metadata) && typeof metadata['name'] === 'string' ? metadata['name'] : '';
}
