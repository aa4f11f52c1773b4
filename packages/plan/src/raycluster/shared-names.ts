import { RayClusterEventReason } from '@manta/api';
import { type Action, warning } from '../plan.ts';
import { fullName } from '../shared/names.ts';
import { isOfAnother, neededRecords, objectName } from './object-name.ts';
import type { Subject } from './subject.ts';

/**
 * A cluster whose pods know objects that belong to another, because its name was cut to the same, goes on with them. That works as long
 * as both are there; when the one that owns them goes, they go with it.
 */
export function tellOfSharedNames(subject: Subject): readonly Action[] {
  const used = objectName(subject);
  if (used === subject.name) return [];
  const shared = Object.entries(neededRecords(subject)).flatMap(([kind, records]) =>
    records
      .filter((record) => record.name === used && isOfAnother(subject, record))
      .map(() => `${kind} ${fullName(subject, used)}`),
  );
  if (shared.length === 0) return [];
  const note = `${shared.join(', ')} belong to another object; they go when that goes. Suspend and resume this RayCluster to give it its own, or give one of the two a name of at most 50 characters, or another ending`;
  return [{ type: 'event', event: warning(RayClusterEventReason.SharedObjectNames, 'Validate', note) }];
}
