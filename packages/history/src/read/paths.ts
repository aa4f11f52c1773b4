import type { RayKind } from '../store/entries.ts';

/** The API group under which history is served. */
export const HISTORY_GROUP = 'history.manta.dev';
export const HISTORY_VERSION = 'v1alpha1';

const KINDS: Readonly<Record<string, RayKind>> = {
  rayclusters: 'RayCluster',
  rayjobs: 'RayJob',
  rayservices: 'RayService',
  raycronjobs: 'RayCronJob',
};

/** The kind whose history a plural names; undefined if there is none. */
export const kindOf = (plural: string): RayKind | undefined =>
  Object.hasOwn(KINDS, plural) ? KINDS[plural] : undefined;
