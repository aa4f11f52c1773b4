import type { StoredObject } from '../object/stored-object.ts';
import { labelsOf } from '../object/metadata.ts';
import type { Scope } from '../requests/request.ts';
import { asJson } from '../object/stored-json.ts';
import { parseFieldSelector } from './field-selector.ts';
import { parseLabelSelector } from './label-selector.ts';

/** The selectors of a list or watch. */
export interface SelectionParams {
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

/** Whether an object, as the asked version shows it, belongs to the answer. */
export type Selection = (object: StoredObject) => boolean;

/** Compiles the selectors of a request, its namespace and (for a watch of one object) its name. */
export function compileSelection(scope: Scope, params: SelectionParams): Selection {
  const byLabel = params.labelSelector ? parseLabelSelector(params.labelSelector) : undefined;
  const byField = params.fieldSelector ? parseFieldSelector(params.fieldSelector, scope.version) : undefined;
  return (object) =>
    (scope.name === '' || object.metadata.name === scope.name) &&
    (byLabel === undefined || byLabel(labelsOf(object))) &&
    (byField === undefined || byField(asJson(object)));
}
