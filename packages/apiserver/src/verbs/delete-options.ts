import { invalid as invalidValue, notSupported } from '../field/cause.ts';
import { isObject, type Json } from '../object/json.ts';
import { cannotUnmarshal } from '../patch/patch-errors.ts';
import { badRequest, invalid } from '../status/errors.ts';
import type { DeleteParams, Propagation } from './delete-params.ts';

/** Reads a DeleteOptions object, as the body of a DELETE or inside an Eviction. */
export function deleteParamsOf(body: Json | undefined): DeleteParams {
  if (!isObject(body)) return {};
  const { propagationPolicy, gracePeriodSeconds, preconditions, dryRun, orphanDependents } = body;
  if (gracePeriodSeconds !== undefined && gracePeriodSeconds !== null && typeof gracePeriodSeconds !== 'number') {
    throw badRequest(
      cannotUnmarshal(gracePeriodSeconds, 'struct field DeleteOptions.gracePeriodSeconds of type int64'),
    );
  }
  if (typeof orphanDependents === 'boolean' && typeof propagationPolicy === 'string') {
    const why = 'orphanDependents and deletionPropagation cannot be both set';
    const cause = invalidValue('propagationPolicy', propagationPolicy, why);
    throw invalid({ group: 'meta.k8s.io', kind: 'DeleteOptions' }, '', [cause]);
  }
  const dryRuns = Array.isArray(dryRun) ? dryRun : [];
  if (dryRuns.some((word) => word !== 'All')) {
    throw invalid({ group: 'meta.k8s.io', kind: 'DeleteOptions' }, '', [notSupported('dryRun', dryRuns, ['All'])]);
  }
  const { uid, resourceVersion } = isObject(preconditions) ? preconditions : {};
  return {
    ...(typeof propagationPolicy === 'string' ? { propagation: asPropagation(propagationPolicy) } : {}),
    ...(typeof orphanDependents === 'boolean'
      ? { propagation: orphanDependents ? 'Orphan' : 'Background', orphanDependents }
      : {}),
    ...(typeof gracePeriodSeconds === 'number' ? { gracePeriodSeconds } : {}),
    preconditions: {
      ...(typeof uid === 'string' ? { uid } : {}),
      ...(typeof resourceVersion === 'string' ? { resourceVersion } : {}),
    },
    ...(dryRuns.length > 0 ? { isDryRun: true } : {}),
  };
}

/** Unknown words are kept: the check that follows names them. */
export function asPropagation(text: string): Propagation {
  // checkDeleteParams refuses what is none of the three.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return text as Propagation;
}
