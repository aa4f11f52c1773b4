import { RayClusterEventReason } from '@manta/api';
import { type Action, warning } from '../plan.ts';
import { isOfAnother, objectName } from './object-name.ts';
import type { NamedRecord } from './observed.ts';
import { fullName, type Subject } from './subject.ts';

/**
 * A cluster whose pods know objects that belong to another, because its name was cut to the same, goes on with them. That works as long
 * as both are there; when the one that owns them goes, they go with it.
 */
export function tellOfSharedNames(subject: Subject): readonly Action[] {
  const { children, name } = subject;
  const used = objectName(subject);
  if (used === name) return [];
  const kinds: Readonly<Record<string, readonly NamedRecord[]>> = {
    ServiceAccount: children.serviceAccounts,
    Role: children.roles,
    RoleBinding: children.roleBindings,
    Secret: children.secrets,
  };
  const shared = Object.entries(kinds).flatMap(([kind, records]) =>
    records
      .filter((record) => record.name === used && isOfAnother(subject, record))
      .map(() => `${kind} ${fullName(subject, used)}`),
  );
  if (shared.length === 0) return [];
  const note = `${shared.join(', ')} belong to another object; they go when that goes. Suspend and resume this RayCluster to give it its own, or give one of the two a name of at most 50 characters, or another ending`;
  return [{ type: 'event', event: warning(RayClusterEventReason.SharedObjectNames, 'Validate', note) }];
}
