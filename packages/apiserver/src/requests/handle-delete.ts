import type { StoredObject } from '../object/stored-object.ts';
import type { Api } from '../api.ts';
import type { Scope } from './request.ts';
import { deletedStatus, type WireStatus } from '../status/status.ts';
import { deleteObject } from '../verbs/delete.ts';
import type { DeleteParams } from '../verbs/delete-params.ts';
import { warnOfOrphans } from '../verbs/warn-of-orphans.ts';

/** The answer to a DELETE. */
export interface DeleteAnswer {
  readonly code: number;
  readonly body: StoredObject | WireStatus;
}

/** Deletes an object and says so the way the real server does: 202 only where the client asked by the old word not to orphan. */
export async function handleDelete(api: Api, scope: Scope, params: DeleteParams): Promise<DeleteAnswer> {
  const { info, rules } = scope.resource;
  warnOfOrphans(scope, params);
  const { object, isGone } = await deleteObject(api, scope, params);
  if (!isGone) return { code: params.orphanDependents === false ? 202 : 200, body: object };
  if (rules.returnsDeletedObject) return { code: 200, body: object };
  const group = info.group === '' ? {} : { group: info.group };
  const details = { name: object.metadata.name, ...group, kind: info.plural, uid: object.metadata.uid };
  return { code: 200, body: deletedStatus(details) };
}
