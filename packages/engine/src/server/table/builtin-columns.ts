import { humanDuration } from '../../crd/index.ts';
import type { ResourceName } from '../../resource-info.ts';
import { textAt } from '../json-path.ts';
import type { PrinterColumn } from '../printer-column.ts';

/** The age of an object. */
export const AGE: PrinterColumn = {
  name: 'Age',
  type: 'string',
  description: 'CreationTimestamp is a timestamp representing the server time when this object was created.',
  priority: 0,
  cell: (object, { nowMs }) => {
    const created = Date.parse(textAt(object, 'metadata.creationTimestamp'));
    return Number.isNaN(created) ? '<unknown>' : humanDuration(nowMs - created);
  },
};

/** The columns of a built-in kind after its name. */
export function builtinColumns(_resource: ResourceName): readonly PrinterColumn[] {
  return [AGE];
}
