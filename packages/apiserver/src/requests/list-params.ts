import { forbidden, notSupported } from '../field/cause.ts';
import type { FieldCause } from '../status/status-error.ts';
import { invalid } from '../status/errors.ts';
import type { SelectionParams } from '../selectors/selection.ts';

/** Query parameters of list and watch. */
export interface ListParams extends SelectionParams {
  readonly limit?: number;
  readonly continue?: string;
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: string;
  readonly sendInitialEvents?: boolean;
  readonly allowBookmarks?: boolean;
  readonly timeoutSeconds?: number;
}

const LIST_OPTIONS = { group: 'meta.k8s.io', kind: 'ListOptions' };
const MATCH = 'resourceVersionMatch';

/** Refuses parameters that contradict each other; a list and a watch allow different ones. */
export function checkListParams(params: ListParams, isWatch: boolean): void {
  const causes = isWatch ? watchCauses(params) : listCauses(params);
  if (causes.length > 0) throw invalid(LIST_OPTIONS, '', causes);
}

function listCauses(params: ListParams): readonly FieldCause[] {
  const { resourceVersion = '', resourceVersionMatch: match = '' } = params;
  const causes: FieldCause[] = [];
  if (match !== '') {
    if (resourceVersion === '') {
      causes.push(forbidden(MATCH, 'resourceVersionMatch is forbidden unless resourceVersion is provided'));
    }
    if (params.continue) {
      causes.push(forbidden(MATCH, 'resourceVersionMatch is forbidden when continue is provided'));
    }
    if (match !== 'Exact' && match !== 'NotOlderThan') {
      causes.push(notSupported(MATCH, match, ['Exact', 'NotOlderThan', '']));
    }
    if (match === 'Exact' && resourceVersion === '0') {
      causes.push(forbidden(MATCH, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'));
    }
  }
  if (params.sendInitialEvents !== undefined) {
    causes.push(forbidden('sendInitialEvents', 'sendInitialEvents is forbidden for list'));
  }
  return causes;
}

function watchCauses({ resourceVersionMatch: match = '', sendInitialEvents, ...params }: ListParams): FieldCause[] {
  const causes: FieldCause[] = [];
  if (sendInitialEvents === undefined) {
    if (match !== '') {
      causes.push(forbidden(MATCH, 'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided'));
    }
    return causes;
  }
  if (match === '') {
    causes.push(forbidden(MATCH, 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'));
  } else if (match !== 'NotOlderThan') {
    causes.push(forbidden(MATCH, 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'));
    causes.push(notSupported(MATCH, match, ['NotOlderThan']));
  }
  if (params.continue) causes.push(forbidden(MATCH, 'resourceVersionMatch is forbidden when continue is provided'));
  return causes;
}
