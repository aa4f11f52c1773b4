import type { JsonObject } from '../object/json.ts';
import type { WriteParams } from '../requests/request.ts';
import type { DeleteParams } from '../verbs/delete-params.ts';

/** The options of a create or update as the object that webhooks are shown. */
export function writeOptions(kind: 'CreateOptions' | 'UpdateOptions', params: WriteParams): JsonObject {
  const { isDryRun, fieldManager, fieldValidation } = params;
  return {
    kind,
    apiVersion: 'meta.k8s.io/v1',
    ...(isDryRun === true ? { dryRun: ['All'] } : {}),
    ...(fieldManager === undefined ? {} : { fieldManager }),
    ...(fieldValidation === undefined ? {} : { fieldValidation }),
  };
}

/** The options of a delete as the object that webhooks are shown. */
export function deleteOptions({ isDryRun, gracePeriodSeconds, propagation, preconditions }: DeleteParams): JsonObject {
  const { uid, resourceVersion } = preconditions ?? {};
  const known = {
    ...(uid === undefined ? {} : { uid }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  };
  return {
    kind: 'DeleteOptions',
    apiVersion: 'meta.k8s.io/v1',
    ...(isDryRun === true ? { dryRun: ['All'] } : {}),
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(propagation === undefined ? {} : { propagationPolicy: propagation }),
    ...(Object.keys(known).length === 0 ? {} : { preconditions: known }),
  };
}
