import type { Step } from '../field/path.ts';
import { isObject, type Json } from '../object/json.ts';
import type { SchemaNode } from './node.ts';

/** Called for a value with its schema; the path is only good during the call. */
export type Visit = (node: SchemaNode, value: Json, path: readonly Step[]) => void;

/** Visits a value and everything below it that its schema describes, as far as `leads` says that there is something to find. */
export function walkSchema(
  node: SchemaNode | undefined,
  value: Json,
  leads: (node: SchemaNode) => boolean,
  visit: Visit,
  path: Step[] = [],
): void {
  if (node === undefined || !leads(node)) return;
  visit(node, value, path);
  const descend = (below: SchemaNode | undefined, child: Json, step: Step) => {
    path.push(step);
    walkSchema(below, child, leads, visit, path);
    path.pop();
  };
  if (Array.isArray(value)) for (const [index, item] of value.entries()) descend(node.items, item, index);
  else if (isObject(value)) {
    for (const [key, child] of Object.entries(value)) {
      const property = node.properties.get(key);
      descend(property ?? node.additional, child, property === undefined ? { key } : key);
    }
  }
}
