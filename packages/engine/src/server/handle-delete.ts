import type { StoredObject } from '../stored-object.ts';
import type { Api } from './api.ts';
import type { Scope } from './request.ts';
import { deletedStatus, type WireStatus } from './status.ts';
import { deleteObject } from './verbs/delete.ts';
import type { DeleteParams } from './verbs/delete-params.ts';

/** The answer to a DELETE. */
export interface DeleteAnswer {
  readonly code: number;
  readonly body: StoredObject | WireStatus;
}

const ORPHANED =
  'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning';

/** Deletes an object and says so the way the real server does: 202 only where the client asked to wait for dependents. */
export async function handleDelete(api: Api, scope: Scope, params: DeleteParams): Promise<DeleteAnswer> {
  const { info, rules } = scope.resource;
  if (rules.orphansByDefault && params.propagation === undefined) scope.warn(ORPHANED);
  const { object, isGone } = await deleteObject(api, scope, params);
  if (!isGone) return { code: params.propagation === 'Foreground' ? 202 : 200, body: object };
  if (rules.returnsDeletedObject) return { code: 200, body: object };
  const group = info.group === '' ? {} : { group: info.group };
  const details = { name: object.metadata.name, ...group, kind: info.plural, uid: object.metadata.uid };
  return { code: 200, body: deletedStatus(details) };
}
