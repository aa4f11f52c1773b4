import { RayClusterEventReason } from '@manta/api';
import { type Action, warning } from '../plan.ts';
import type { NamedRecord } from './observed.ts';
import { fullName, type Subject } from './subject.ts';

/**
 * Names of more than 50 characters are cut at their beginning, so that two clusters may come to share an account, a role or a token. That
 * works as long as both are there; when the one that owns them goes, they go with it.
 */
export function tellOfSharedNames(subject: Subject): readonly Action[] {
  const { children, uid } = subject;
  const kinds: Readonly<Record<string, readonly NamedRecord[]>> = {
    ServiceAccount: children.serviceAccounts,
    Role: children.roles,
    RoleBinding: children.roleBindings,
    Secret: children.secrets,
  };
  const shared = Object.entries(kinds).flatMap(([kind, records]) =>
    records
      .filter(({ name, owner }) => owner !== undefined && owner !== uid && isCut(subject, name))
      .map(({ name }) => `${kind} ${fullName(subject, name)}`),
  );
  if (shared.length === 0) return [];
  const note = `${shared.join(', ')} belong to another object; they go when that goes. Give one of the RayClusters a name of at most 50 characters, or another ending`;
  return [{ type: 'event', event: warning(RayClusterEventReason.SharedObjectNames, 'Validate', note) }];
}

function isCut({ name }: Subject, found: string): boolean {
  return found !== name && name.endsWith(found.slice(1));
}
