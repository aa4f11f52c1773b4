import { GroupName, type RayCluster } from '@manta/api';
import type { CreateHold } from '@manta/plan';
import type { ObjectKey } from '@manta/runtime';
import type { FailingPods } from './failing-pods.ts';
import type { RefusedGroups } from './refused-groups.ts';

/** The creations of a cluster that have to wait, by group; a refusal holds up more than failures do. */
export function createHolds(
  key: ObjectKey,
  { metadata, spec }: RayCluster,
  refused: RefusedGroups,
  failing: FailingPods,
): ReadonlyMap<string, CreateHold> {
  const holds = new Map<string, CreateHold>();
  for (const group of [GroupName.Head, ...(spec?.workerGroupSpecs ?? []).map(({ groupName }) => groupName)]) {
    const held = failing.held(metadata?.uid ?? '', group);
    if (held !== undefined) holds.set(group, { kind: 'failing', ...held });
  }
  for (const [group, until] of refused.of(key, metadata?.generation)) holds.set(group, { kind: 'refused', until });
  return holds;
}
