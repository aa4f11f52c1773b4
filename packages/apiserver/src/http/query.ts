import { goQuote } from '@manta/api';
import { notSupported } from '../field/cause.ts';
import { goJson } from '../field/go-json.ts';
import type { FieldCause } from '../status/status-error.ts';
import { badRequest, invalid } from '../status/errors.ts';
import type { ListParams } from '../requests/list-params.ts';
import type { FieldValidation } from '../requests/request.ts';
import { asPropagation } from '../verbs/delete-options.ts';
import type { DeleteParams } from '../verbs/delete-params.ts';
import type { PatchParams } from '../verbs/patch.ts';

/** The parameters of a list or watch, from the query. */
export function listQuery(query: URLSearchParams): ListParams {
  const limit = integerQuery(query, 'limit');
  const timeoutSeconds = integerQuery(query, 'timeoutSeconds');
  const sendInitialEvents = flag(query, 'sendInitialEvents');
  return {
    ...textOf(query, 'labelSelector'),
    ...textOf(query, 'fieldSelector'),
    ...textOf(query, 'continue'),
    ...textOf(query, 'resourceVersion'),
    ...textOf(query, 'resourceVersionMatch'),
    ...(limit === undefined ? {} : { limit }),
    ...(timeoutSeconds === undefined || timeoutSeconds <= 0 ? {} : { timeoutSeconds }),
    ...(sendInitialEvents === undefined ? {} : { sendInitialEvents }),
    allowBookmarks: flag(query, 'allowWatchBookmarks') ?? false,
  };
}

/** The parameters of a create, update or patch, from the query. */
export function writeQuery(
  query: URLSearchParams,
  kind: 'CreateOptions' | 'UpdateOptions' | 'PatchOptions',
): PatchParams {
  const causes: FieldCause[] = [...dryRunCauses(query)];
  const manager = query.get('fieldManager') ?? '';
  if (manager.length > 128) {
    causes.push({
      reason: 'FieldValueTooLong',
      field: 'fieldManager',
      message: 'Too long: may not be more than 128 bytes',
    });
  }
  const validation = query.get('fieldValidation') ?? '';
  if (!isFieldValidation(validation) && validation !== '') {
    causes.push(notSupported('fieldValidation', validation, ['', 'Ignore', 'Strict', 'Warn']));
  }
  if (causes.length > 0) throw invalid({ group: 'meta.k8s.io', kind }, '', causes);
  return {
    isDryRun: query.has('dryRun'),
    ...(manager === '' ? {} : { fieldManager: manager }),
    fieldValidation: isFieldValidation(validation) ? validation : 'Warn',
    isForced: flag(query, 'force') ?? false,
  };
}

/** The parameters of a delete, from the query; the body's come on top. */
export function deleteQuery(query: URLSearchParams): DeleteParams {
  const causes = dryRunCauses(query);
  if (causes.length > 0) throw invalid({ group: 'meta.k8s.io', kind: 'DeleteOptions' }, '', causes);
  const gracePeriodSeconds = integerQuery(query, 'gracePeriodSeconds');
  const propagation = query.get('propagationPolicy');
  const orphans = flag(query, 'orphanDependents');
  return {
    ...(orphans === undefined
      ? {}
      : { propagation: orphans ? ('Orphan' as const) : ('Background' as const), orphanDependents: orphans }),
    ...(propagation === null ? {} : { propagation: asPropagation(propagation) }),
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(query.has('dryRun') ? { isDryRun: true } : {}),
  };
}

/** Whether a query asks for something; any other word than a clear no counts as yes. */
export function flag(query: URLSearchParams, key: string): boolean | undefined {
  const value = query.get(key);
  if (value === null) return undefined;
  return value !== 'false' && value !== '0';
}

function dryRunCauses(query: URLSearchParams): readonly FieldCause[] {
  const values = query.getAll('dryRun');
  if (values.every((value) => value === 'All')) return [];
  const message = `Unsupported value: ${goJson(values)}: supported values: "All"`;
  return [{ reason: 'FieldValueNotSupported', field: 'dryRun', message }];
}

/** A whole number of a query. */
export function integerQuery(query: URLSearchParams, key: string): number | undefined {
  const value = query.get(key);
  if (value === null || value === '') return undefined;
  if (/^[+-]?\d+$/.test(value)) return Number(value);
  throw badRequest(`strconv.ParseInt: parsing ${goQuote(value)}: invalid syntax`);
}

function textOf<K extends keyof ListParams>(query: URLSearchParams, key: K): Partial<Record<K, string>> {
  const value = query.get(key);
  // One key of the record is all that there is.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return value === null ? {} : ({ [key]: value } as Record<K, string>);
}

function isFieldValidation(text: string): text is FieldValidation {
  return text === 'Ignore' || text === 'Warn' || text === 'Strict';
}
