import { forbidden, invalid as invalidValue } from '../field/cause.ts';
import { isObject } from '../object/json.ts';
import type { FieldCause } from '../status/status-error.ts';
import type { StoredObject } from '../object/stored-object.ts';
import { badRequest, invalid } from '../status/errors.ts';
import { integerQuery } from '../http/query.ts';
import { textAt, valueAt } from '../registry/json-path.ts';
import { asJson } from '../object/stored-json.ts';

/** Refuses a log request that makes no sense, and one that does not say whose log of several it wants. */
export function checkLogOptions(pod: StoredObject, query: URLSearchParams): void {
  const causes = optionCauses(query);
  if (causes.length > 0) throw invalid({ group: '', kind: 'PodLogOptions' }, pod.metadata.name, causes);
  if (query.get('container')) return;
  const names = containerNames(pod);
  if (names.length < 2) return;
  const choice = `choose one of: [${names.join(' ')}]`;
  throw badRequest(`a container name must be specified for pod ${pod.metadata.name}, ${choice}`);
}

function containerNames(pod: StoredObject): readonly string[] {
  const containers = valueAt(asJson(pod), 'spec.containers');
  return Array.isArray(containers) ? containers.filter(isObject).map((container) => textAt(container, 'name')) : [];
}

function optionCauses(query: URLSearchParams): readonly FieldCause[] {
  const causes: FieldCause[] = [];
  const atLeast = (key: string, least: number, words: string): void => {
    const value = integerQuery(query, key);
    if (value !== undefined && value < least) causes.push(invalidValue(key, value, `must be greater than ${words}`));
  };
  atLeast('tailLines', 0, 'or equal to 0');
  atLeast('limitBytes', 1, '0');
  if (query.has('sinceSeconds') && query.has('sinceTime')) {
    causes.push(forbidden('', 'at most one of `sinceTime` or `sinceSeconds` may be specified'));
  } else atLeast('sinceSeconds', 1, '0');
  return causes;
}
