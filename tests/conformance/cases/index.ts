import type { Case } from '../support/target.ts';
import { cases as discovery } from './discovery.ts';
import { cases as fieldSelectors } from './field-selectors.ts';
import { cases as health } from './health.ts';
import { cases as kindsCreate } from './kinds-create.ts';
import { cases as kindsCrud } from './kinds-crud.ts';
import { cases as labelSelectors } from './label-selectors.ts';
import { cases as locking } from './locking.ts';
import { cases as names } from './names.ts';
import { cases as namespaces } from './namespaces.ts';
import { cases as paging } from './paging.ts';
import { cases as resourceVersion } from './resource-version.ts';

/** Every case, by topic. */
export const topics: Readonly<Record<string, readonly Case[]>> = {
  discovery,
  'field selectors': fieldSelectors,
  'health and documents': health,
  'kinds: create': kindsCreate,
  'kinds: read, write, delete': kindsCrud,
  'label selectors': labelSelectors,
  locking,
  names,
  namespaces,
  paging,
  'resource version': resourceVersion,
};
