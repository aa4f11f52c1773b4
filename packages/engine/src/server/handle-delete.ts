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

/** What the real server warns of where nobody says what shall become of a job's pods. */
const ORPHANED =
  'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning';

/** Warns of dependents that would stay behind unasked. */
export function warnOfOrphans(scope: Scope, { propagation }: DeleteParams): void {
  if (scope.resource.rules.orphansByDefault && propagation === undefined) scope.warn(ORPHANED);
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
