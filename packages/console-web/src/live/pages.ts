import type { RayKind } from './api.ts';

/** The list of each kind, and its name. */
export const LISTS: Readonly<Record<RayKind, { readonly path: string; readonly title: string; readonly one: string }>> =
  {
    RayJob: { path: '/jobs', title: 'Jobs', one: 'job' },
    RayCluster: { path: '/clusters', title: 'Clusters', one: 'cluster' },
    RayService: { path: '/services', title: 'Services', one: 'service' },
    RayCronJob: { path: '/cron', title: 'Cron jobs', one: 'cron job' },
  };

export function isRayKind(kind: string): kind is RayKind {
  return Object.hasOwn(LISTS, kind);
}

/** The page of an object; home for kinds without pages. */
export function pagePath(kind: string, namespace: string, name: string): string {
  return isRayKind(kind) ? `${LISTS[kind].path}/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}` : '/';
}
