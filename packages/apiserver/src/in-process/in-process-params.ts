import type { DeleteOptions, ListOptions, WatchOptions, WriteOptions } from '@manta/kube';
import type { ListParams } from '../requests/list-params.ts';
import type { WriteParams } from '../requests/request.ts';
import type { DeleteParams } from '../verbs/delete-params.ts';

/** A client's list or watch options as the verbs take them. */
export function listParams(options: ListOptions & Partial<WatchOptions>): ListParams {
  return defined({
    labelSelector: options.labelSelector,
    fieldSelector: options.fieldSelector,
    limit: options.limit,
    continue: options.continue,
    resourceVersion: options.resourceVersion,
    resourceVersionMatch:
      options.resourceVersionMatch ?? (options.sendInitialEvents === true ? 'NotOlderThan' : undefined),
    sendInitialEvents: options.sendInitialEvents,
    allowBookmarks: options.allowBookmarks,
    timeoutSeconds: options.timeoutSeconds,
  });
}

/** A client's write options as the verbs take them. */
export function writeParams({ dryRun, fieldManager, fieldValidation }: WriteOptions): WriteParams {
  return defined({ isDryRun: dryRun, fieldManager, fieldValidation });
}

/** A client's delete options as the verbs take them. */
export function deleteParams({ propagation, gracePeriodSeconds, preconditions, dryRun }: DeleteOptions): DeleteParams {
  return defined({ propagation, gracePeriodSeconds, preconditions, isDryRun: dryRun });
}

type Defined<T> = { readonly [K in keyof T]?: Exclude<T[K], undefined> };

function defined<T extends object>(values: T): Defined<T> {
  // Dropping undefined values is what the mapped type says.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Defined<T>;
}
