import { invalid as invalidValue, notSupported } from '../field/cause.ts';
import { invalid } from '../status/errors.ts';

/** What happens to the objects that an object owns. */
export type Propagation = 'Background' | 'Foreground' | 'Orphan';

/** DeleteOptions. */
export interface DeleteParams {
  readonly propagation?: Propagation;
  readonly gracePeriodSeconds?: number;
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  readonly isDryRun?: boolean;
  /** The old word for the propagation: what it says is in `propagation`, too, but only this one makes the answer 202. */
  readonly orphanDependents?: boolean;
}

const DELETE_OPTIONS = { group: 'meta.k8s.io', kind: 'DeleteOptions' };

/** Refuses options that make no sense. */
export function checkDeleteParams({ propagation, gracePeriodSeconds }: DeleteParams): void {
  const field = 'propagationPolicy';
  if (propagation !== undefined && !['Background', 'Foreground', 'Orphan'].includes(propagation)) {
    throw invalid(DELETE_OPTIONS, '', [
      notSupported(field, propagation, ['Foreground', 'Background', 'Orphan', 'nil']),
    ]);
  }
  if (gracePeriodSeconds !== undefined && !Number.isInteger(gracePeriodSeconds)) {
    throw invalid(DELETE_OPTIONS, '', [invalidValue('gracePeriodSeconds', gracePeriodSeconds, 'must be an integer')]);
  }
}
