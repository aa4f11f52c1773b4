import { StatusError } from '../status/status-error.ts';
import type { StoredObject } from '../object/stored-object.ts';
import type { Api } from '../api.ts';
import type { ListParams } from '../requests/list-params.ts';
import type { Scope } from '../requests/request.ts';
import { deleteObject } from './delete.ts';
import type { DeleteParams } from './delete-params.ts';
import { type ListPage, listObjects } from './list.ts';
import { warnOfOrphans } from './warn-of-orphans.ts';

/** Deletes all that a list selects; what others delete meanwhile does not matter. Gives back what was found. */
export async function deleteCollection(
  api: Api,
  scope: Scope,
  selection: ListParams,
  params: DeleteParams = {},
): Promise<ListPage> {
  const page = listObjects(api, scope, selection);
  warnOfOrphans(scope, params);
  for (const object of page.items) await deleteOne(api, scope, object, params);
  return page;
}

async function deleteOne(api: Api, scope: Scope, { metadata }: StoredObject, params: DeleteParams): Promise<void> {
  try {
    await deleteObject(api, { ...scope, namespace: metadata.namespace ?? '', name: metadata.name }, params);
  } catch (error) {
    if (!(error instanceof StatusError) || error.code !== 404) throw error;
  }
}
